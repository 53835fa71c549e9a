import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';

/** The control of an experiment: it fires, it is journalled, and the bytes stay as they are. */
export const doNothing = defineFault({
  type: 'do-nothing',
  summary: 'Sends the message on as it is: a placebo to compare other faults with.',
  carriers: ['mcp', 'command'],
  role: 'shaping',
  phases: ['pre', 'post'],
  params: {},
  decide: (event, _params, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    return event.kind === 'frame' && event.part === part ? [forward(event.frame)] : [];
  },
});
