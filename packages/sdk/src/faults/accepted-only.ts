import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';

/** What a server says to a notification, said to a request. `pre`: it never ran. `post`: it did, and the answer is nowhere. */
export const acceptedOnly = defineFault({
  type: 'accepted-only',
  summary: 'Says 202 Accepted to a request and never answers it.',
  carriers: ['http'],
  role: 'terminal',
  phases: ['pre', 'post'],
  cannot: {
    stdio: 'A pipe carries no HTTP.',
    'in-process': 'No HTTP is spoken in process.',
    'legacy-sse': 'Every request is answered with 202 there; without the event that follows it is the fault hang.',
  },
  params: {},
  decide: (event, _params, context) => {
    const part = context.phase === 'pre' ? 'request' : 'answer';
    if (event.kind !== 'frame' || event.part !== part || event.exchange.id === undefined) return [];
    return [answer(undefined, { status: 202, body: '' })];
  },
});
