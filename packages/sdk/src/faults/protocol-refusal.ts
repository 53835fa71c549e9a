import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError, type JsonObject, type MessageId } from '../core/message.js';
import { oneOf, text } from '../core/params.js';
import { requestedVersion, type Exchange } from '../core/session.js';

/** What the specification has modern servers say, by reason. */
const REFUSALS = {
  'header-mismatch': (id: MessageId): JsonObject => rpcError(id, -32020, 'Header mismatch: Mcp-Name does not match the request body'),
  'missing-capability': (id: MessageId, { capability }: { capability: string }): JsonObject =>
    rpcError(id, -32021, `Missing required client capability: ${capability}`, { requiredCapabilities: { [capability]: {} } }),
  'unsupported-version': (id: MessageId, { version }: { version: string }, { request }: Exchange): JsonObject =>
    rpcError(id, -32022, 'Unsupported protocol version', { supported: [version], requested: requestedVersion(request) }),
};

/** A gateway that rewrote a header, a server that needs more of its client, or one that was rolled back. HTTP says 400. */
export const protocolRefusal = defineFault({
  type: 'protocol-refusal',
  summary: 'Refuses a request with one of the protocol errors of the modern era.',
  carriers: ['mcp'],
  role: 'terminal',
  eras: ['modern'],
  params: {
    reason: oneOf(['unsupported-version', 'missing-capability', 'header-mismatch'], {
      default: 'unsupported-version',
      about: 'Why: the protocol version, a capability that the client lacks, or HTTP headers that contradict the body.',
    }),
    version: text({ default: '2025-11-25', about: 'The version that the server supports instead.' }),
    capability: text({ default: 'sampling', about: 'The client capability that is missing.' }),
  },
  decide: (event, params, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { exchange } = event;
    if (exchange.session.era === 'legacy') return context.notDelivered('the legacy era has no such error');
    if (params.reason === 'header-mismatch' && (context.transport === 'stdio' || context.transport === 'in-process'))
      return context.notDelivered('there are no headers');
    return [answer(REFUSALS[params.reason](event.exchange.id, params, exchange), { status: 400 })];
  },
});
