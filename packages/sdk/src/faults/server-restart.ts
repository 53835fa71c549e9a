import { answer, disconnect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';
import { ms } from '../core/params.js';

/**
 * A deployment. The call that it hits is cut off, nobody can connect for a while, and the server that comes up again
 * knows none of the sessions (legacy era): a client has to initialise anew.
 */
export const serverRestart = defineFault({
  type: 'server-restart',
  summary: 'Takes the server down for a while; afterwards it no longer knows the session.',
  carriers: ['http'],
  role: 'terminal',
  cannot: {
    stdio: 'A server on a pipe ends with its pipe, and only its client can start it again: see crash.',
    'in-process': 'A transport in process ends with its server: see crash.',
  },
  params: { downMs: ms({ default: 3000, min: 1, about: 'How long connections are refused.' }) },
  memoryScope: 'session',
  memory: (): { upAtMs: number | undefined } => ({ upAtMs: undefined }),
  lasts: ({ upAtMs }) => upAtMs !== undefined,
  decide: (event, { downMs }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    const { memory, nowMs } = context;
    if (memory.upAtMs === undefined) {
      memory.upAtMs = nowMs + downMs;
      return [disconnect('refuse', downMs)];
    }
    // A connection that was open before the server went down.
    if (nowMs < memory.upAtMs) return [disconnect('reset')];
    if (event.exchange.session.era !== 'modern') {
      const gone = { status: 404, headers: { 'content-type': 'application/json' } };
      return [answer(rpcError(null, -32001, 'Session not found'), gone)];
    }
    memory.upAtMs = undefined;
    return context.notDelivered('the server is up again');
  },
});
