import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';
import { oneOf } from '../core/params.js';

/** What servers in the wild say when they no longer know a session. The specification asks for 404. */
const REPLIES = {
  '404': { status: 404, message: rpcError(null, -32001, 'Session not found') },
  '400': { status: 400, message: rpcError(null, -32000, 'Bad Request: No valid session ID provided') },
  '503': { status: 503, message: rpcError(null, -32000, 'Service unavailable') },
} as const;

const JSON_TYPE = { 'content-type': 'application/json' };

/** A restarted or rebalanced server. A client that does not initialise anew stays locked out. */
export const sessionLost = defineFault({
  type: 'session-lost',
  summary: 'Forgets the session: every later request in it is turned away until the client initialises anew.',
  carriers: ['http'],
  role: 'terminal',
  eras: ['legacy'],
  cannot: {
    stdio: 'A pipe is its own session: it ends with the server, and cannot be forgotten by it.',
    'in-process': 'A transport in process is its own session, and cannot be forgotten.',
  },
  params: {
    status: oneOf(['404', '400', '503', '200'], {
      default: '404',
      about: 'HTTP status of the refusals; the specification asks for 404, and 200 has the error in the body only.',
    }),
  },
  memoryScope: 'session',
  memory: () => ({ isLost: false }),
  lasts: ({ isLost }) => isLost,
  decide: (event, { status }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    if (event.exchange.session.era === 'modern') return context.notDelivered('the modern era has no sessions');
    context.memory.isLost = true;
    if (status === '200') return [answer(rpcError(event.exchange.id ?? null, -32001, 'Session not found'))];
    const reply = REPLIES[status];
    return [answer(reply.message, { status: reply.status, headers: JSON_TYPE })];
  },
});
