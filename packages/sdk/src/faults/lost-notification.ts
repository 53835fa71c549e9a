import { answer, hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';

/** Nobody waits for a notification, so nobody notices: not the sender, who is told that it arrived, and not the receiver. */
export const lostNotification = defineFault({
  type: 'lost-notification',
  summary: 'Loses notifications on their way, in either direction.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: [
    'notifications/progress',
    'notifications/message',
    'notifications/tools/list_changed',
    'notifications/prompts/list_changed',
    'notifications/resources/list_changed',
    'notifications/resources/updated',
  ],
  direction: 'either',
  params: {},
  decide: (event, _params, context) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    if (event.exchange.id !== undefined) return context.notDelivered('it is a request, and somebody waits for its answer');
    // A client that posts a notification is told that it was taken, as by any server; on a pipe nothing is said.
    return event.exchange.origin === 'to-server' ? [answer(undefined, { status: 202, body: '' })] : [hold(event.frame, 'never')];
  },
});
