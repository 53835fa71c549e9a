import { forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import { opposite, rpcError, type JsonObject } from '../core/message.js';
import { ms } from '../core/params.js';
import type { Exchange } from '../core/session.js';

/** An answer that is valid for the method and says as little as possible. */
function minimalAnswer({ id = null, method, session }: Exchange): JsonObject {
  if (method !== 'tools/call') return rpcError(id, -32603, 'Internal error');
  const result = session.era === 'modern' ? { content: [], resultType: 'complete' } : { content: [] };
  return { jsonrpc: '2.0', id, result };
}

/** A server that does not look at cancellations. Clients must ignore the late answer; some drop the connection. */
export const lateAfterCancel = defineFault({
  type: 'late-after-cancel',
  summary: 'Keeps the answer back until the client cancels, and sends it then.',
  carriers: ['mcp'],
  role: 'terminal',
  phases: ['post'],
  params: { afterMs: ms({ default: 50, about: 'Time between the cancellation and the late answer.' }) },
  decide: (event, { afterMs }) => {
    if (event.kind === 'connect') return [];
    const { exchange } = event;
    if (exchange.id === undefined) return [];
    if (event.kind === 'cancel') {
      // Once there is an answer, it is held until this very moment and goes by itself.
      if (exchange.answers > 0) return [];
      return [forward(frameFromMessage(opposite(exchange.origin), minimalAnswer(exchange)), afterMs)];
    }
    if (event.part === 'request') return [];
    // Cancelled before it came: an answer is on its way already, and two would be another fault.
    return exchange.isCancelled ? [hold(event.frame, 'never')] : [hold(event.frame, 'cancel', afterMs)];
  },
});
