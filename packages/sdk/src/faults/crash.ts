import { signalServer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

/** `pre`: it dies before it hears of the call. `post`: it did the work, and dies before the answer is out. */
export const crash = defineFault({
  type: 'crash',
  summary: 'Kills the server: every call in it is lost, and new connections are refused for a while.',
  carriers: ['mcp', 'command'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: { downMs: ms({ default: 2000, about: 'How long the server stays down; on a pipe it is up to the client to start it anew.' }) },
  decide: (event, { downMs }, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    return event.kind === 'frame' && event.part === part ? [signalServer('crash', downMs)] : [];
  },
});
