import { disconnect, pace } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameBytes } from '../core/frame.js';
import { oneOf, ratio } from '../core/params.js';

/** A reset throws away what was not read yet, so the bytes get time to arrive. */
const CUT_AFTER_MS = 20;

/** Other than a malformed body, what comes has no end: a line without its line end, a body shorter than it says, half an event. */
export const truncate = defineFault({
  type: 'truncate',
  summary: 'Breaks the connection in the middle of an answer.',
  carriers: ['mcp', 'bytes'],
  role: 'terminal',
  phases: ['post'],
  cannot: {
    tcp: 'A byte stream has no answers to keep a share of; connection-drop breaks it.',
    'in-process': 'A message is an object there: it comes as a whole or not at all. See connection-drop.',
  },
  params: {
    keepRatio: ratio({ default: 0.5, about: 'Share of the answer that arrives: at least its first byte, never its last.' }),
    how: oneOf(['end', 'reset'], { default: 'end', about: 'How the connection breaks: it ends in good order, or it is reset.' }),
  },
  decide: (event, { keepRatio, how }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    if (event.frame.isOpaque) return context.notDelivered('too large');
    const { length } = frameBytes(event.frame);
    if (length < 2) return context.notDelivered('there is nothing to cut off');
    const sliceBytes = Math.min(length - 1, Math.max(1, Math.floor(length * keepRatio)));
    // The second slice would come long after the cut.
    return [pace(event.frame, { sliceBytes, everyMs: 10 * CUT_AFTER_MS }), disconnect(how, 0, CUT_AFTER_MS)];
  },
});
