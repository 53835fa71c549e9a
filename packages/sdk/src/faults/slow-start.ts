import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

/** A server that loads a model, fills a cache or is downloaded first. Clients that wait a second and a half give up. */
export const slowStart = defineFault({
  type: 'slow-start',
  summary: 'Answers the first request of a session late.',
  carriers: ['mcp'],
  role: 'shaping',
  methods: ['initialize', 'server/discover'],
  phases: ['post'],
  params: { delayMs: ms({ default: 10_000, min: 1, about: 'How long the server takes to start.' }) },
  memoryScope: 'session',
  memory: (): { first: string | undefined } => ({ first: undefined }),
  decide: (event, { delayMs }, context) => {
    if (event.kind !== 'frame') return [];
    const name = `${event.exchange.origin} ${event.exchange.ordinal}`;
    context.memory.first ??= name;
    if (context.memory.first !== name) return context.notDelivered('the server is up');
    return event.part === 'answer' ? [forward(event.frame, delayMs)] : [];
  },
});
