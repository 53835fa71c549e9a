import { disconnect, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { oneOf } from '../core/params.js';

/** The ambiguous outcome: the caller cannot know whether the work was done. It was. */
export const lostAck = defineFault({
  type: 'lost-ack',
  summary: 'The server does the work, and its answer is lost.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['post'],
  params: {
    mode: oneOf(['hang', 'reset'], { default: 'hang', about: 'What the caller sees: nothing at all, or a broken connection.' }),
  },
  decide: (event, { mode }) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    return mode === 'reset' ? [disconnect('reset')] : [hold(event.frame, 'never')];
  },
});
