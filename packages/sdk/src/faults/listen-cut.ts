import { disconnect, emit, forward, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameFromMessage, frameObject, type Frame } from '../core/frame.js';
import { isObject, opposite, paramsOf, type JsonObject, type MessageId } from '../core/message.js';
import { ms, oneOf } from '../core/params.js';

/** What a server says first on a subscription: it agrees to everything that it was asked for. */
function acknowledgement(request: Frame, id: MessageId): JsonObject {
  const { notifications } = paramsOf(frameObject(request));
  const asked = isObject(notifications) ? notifications : {};
  return {
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { _meta: { 'io.modelcontextprotocol/subscriptionId': id }, notifications: asked },
  };
}

/** News that never come. A client that trusts its subscription works with old lists from here on. */
export const listenCut = defineFault({
  type: 'listen-cut',
  summary: 'Lets a subscription fall silent, or ends its stream.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['subscriptions/listen'],
  hasFixedMethods: true,
  eras: ['modern'],
  cannot: { 'legacy-sse': 'There are no subscriptions of this kind before the modern era, which has left that transport behind.' },
  params: {
    mode: oneOf(['silent', 'cut'], {
      default: 'silent',
      about: 'What the client sees: a subscription that is acknowledged and never brings any news, or a stream that ends.',
    }),
    afterMs: ms({ default: 1000, min: 1, about: 'How long the stream lives before it is cut.' }),
  },
  decide: (event, { mode, afterMs }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    if (mode === 'cut') {
      if (context.transport === 'stdio' || context.transport === 'in-process')
        return context.notDelivered('there is no stream of its own for a subscription');
      return [forward(event.frame), disconnect('end', 0, afterMs)];
    }
    const news = frameFromMessage(opposite(event.frame.direction), acknowledgement(event.frame, event.exchange.id));
    return [hold(event.frame, 'never'), emit(news, { everyMs: 0, count: 1 })];
  },
});
