import { emit } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { frameFromMessage } from '../core/frame.js';
import { count, ms } from '../core/params.js';

/** Each notice invites the client to list every tool again: a storm of them costs requests, tokens and caches. */
export const listChangedStorm = defineFault({
  type: 'list-changed-storm',
  summary: 'Tells the client again and again that the list of tools has changed.',
  carriers: ['mcp'],
  role: 'extra',
  // Modern servers may say this on a subscription only, and a call is none.
  eras: ['legacy'],
  params: {
    everyMs: ms({ default: 20, min: 1, about: 'Time between two notices.' }),
    count: count({ default: 50, min: 1, max: 100_000, unit: 'notices', about: 'How many notices are sent.' }),
  },
  decide: (event, { everyMs, count: times }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request') return [];
    if (event.exchange.session.era === 'modern') return context.notDelivered('modern notices need a subscription');
    const notice = { jsonrpc: '2.0', method: 'notifications/tools/list_changed' };
    return [emit(frameFromMessage('to-client', notice), { everyMs, count: times })];
  },
});
