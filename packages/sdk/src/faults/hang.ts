import { hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';

/** A real hang, not a fast timeout error. `pre`: the server never hears of the call. `post`: it did the work in vain. */
export const hang = defineFault({
  type: 'hang',
  summary: 'Never answers a request; the connection stays open.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: {},
  decide: (event, _params, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    return event.kind === 'frame' && event.part === part ? [hold(event.frame, 'never')] : [];
  },
});
