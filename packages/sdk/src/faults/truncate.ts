import { cutShort } from '../core/cut-short.js';
import { defineFault } from '../core/fault.js';
import { oneOf, ratio } from '../core/params.js';

/** Other than a malformed body, what comes has no end: a line without its line end, a body shorter than it says, half an event. */
export const truncate = defineFault({
  type: 'truncate',
  summary: 'Breaks the connection in the middle of an answer.',
  carriers: ['mcp', 'bytes'],
  role: 'terminal',
  phases: ['post'],
  cannot: {
    tcp: 'A byte stream has no answers to keep a share of; connection-drop breaks it after a number of bytes.',
    'in-process': 'A message is an object there: it comes as a whole or not at all. See connection-drop.',
  },
  params: {
    keepRatio: ratio({ default: 0.5, about: 'Share of the answer that arrives: at least its first byte, never its last.' }),
    how: oneOf(['end', 'reset'], { default: 'end', about: 'How the connection breaks: it ends in good order, or it is reset.' }),
  },
  decide: (event, { keepRatio, how }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const keep = (length: number): number => Math.min(length - 1, Math.max(1, Math.floor(length * keepRatio)));
    return cutShort(event.frame, { how, keep, context });
  },
});
