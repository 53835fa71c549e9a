import { disconnect, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms, oneOf } from '../core/params.js';

/** `pre`: the server never hears of the call. `post`: it did the work, and the connection breaks before the answer. */
export const connectionDrop = defineFault({
  type: 'connection-drop',
  summary: 'Breaks the connection of a call, at once or after a silence.',
  carriers: ['mcp', 'bytes'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: {
    afterMs: ms({ default: 0, about: 'How long the caller hears nothing before the connection breaks.' }),
    how: oneOf(['reset', 'end'], { default: 'reset', about: 'How the connection breaks: it is reset, or it ends in good order.' }),
  },
  decide: (event, { afterMs, how }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part) return [];
    return afterMs === 0 ? [disconnect(how)] : [hold(event.frame, 'never'), disconnect(how, 0, afterMs)];
  },
});
