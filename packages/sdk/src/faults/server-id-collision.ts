import { emit } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import { oneOf } from '../core/params.js';

/**
 * Both sides count their requests from the same number: a client that keeps one table for both takes the question for
 * its answer. The server hears a reply to something that it never asked, which servers ignore.
 */
export const serverIdCollision = defineFault({
  type: 'server-id-collision',
  summary: 'Asks the client something under the id of a request that it waits for.',
  carriers: ['mcp'],
  role: 'extra',
  eras: ['legacy'],
  params: {
    method: oneOf(['ping', 'roots/list'], { default: 'ping', about: 'What the client is asked.' }),
  },
  decide: (event, { method }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.origin !== 'to-server') return [];
    const { id, session } = event.exchange;
    if (id === undefined || id === null) return context.notDelivered('the message has no id');
    if (session.era === 'modern') return context.notDelivered('modern servers ask nothing');
    return [emit(frameFromMessage('to-client', { jsonrpc: '2.0', id, method }), { everyMs: 0, count: 1 })];
  },
});
