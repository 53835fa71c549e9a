import { answer, forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { rpcError, withResult } from '../core/message.js';
import { text } from '../core/params.js';
import { requestedVersion } from '../core/session.js';
import { editableResult } from '../core/tool-result.js';

/**
 * A server of another generation. Legacy servers name the version that they want in their answer; modern ones refuse the
 * request and list what they know.
 */
export const versionOffer = defineFault({
  type: 'version-offer',
  summary: 'Offers another protocol version than the client asked for.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['initialize', 'server/discover'],
  hasFixedMethods: true,
  params: {
    version: text({ default: '2027-06-30', about: 'The only version that the server says it speaks.' }),
  },
  whyPointless: ({ version }) => (version === '' ? 'its version is empty' : undefined),
  decide: (event, { version }, context) => {
    if (event.kind !== 'frame' || event.exchange.id === undefined) return [];
    const { id, method, request } = event.exchange;
    if (method === 'server/discover') {
      if (event.part === 'answer') return [];
      const data = { supported: [version], requested: requestedVersion(request) };
      return [answer(rpcError(id, -32022, 'Unsupported protocol version', data), { status: 400 })];
    }
    if (event.part === 'request') return [];
    const welcome = editableResult(event.frame);
    if (typeof welcome === 'string') return context.notDelivered(welcome);
    const { message, result } = welcome;
    if (result['protocolVersion'] === version) return context.notDelivered('the server offers this version itself');
    context.changed('/protocolVersion', result['protocolVersion'], version);
    return [forward(editFrame(event.frame, withResult(message, { ...result, protocolVersion: version })))];
  },
});
