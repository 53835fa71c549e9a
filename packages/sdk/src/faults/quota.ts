import { answer } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { rpcError } from '../core/message.js';
import { count, ms } from '../core/params.js';

type Window = { startedAtMs: number; used: number };

/** Unlike `rate-limit`, which the plan decides on, this one counts: agents that call less are never turned away. */
export const quota = defineFault({
  type: 'quota',
  summary: 'Lets a session make so many calls in a window of time, and turns the others away.',
  carriers: ['mcp', 'http', 'command'],
  role: 'terminal',
  params: {
    calls: count({ default: 60, max: 1_000_000, unit: 'calls', about: 'How many calls go through in one window.' }),
    windowMs: ms({ default: 60_000, min: 1, about: 'How long a window is; it begins with its first call.' }),
  },
  memoryScope: 'session',
  memory: (): Window => ({ startedAtMs: -Infinity, used: 0 }),
  decide: (event, { calls, windowMs }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id === undefined) return [];
    const { memory, nowMs } = context;
    if (nowMs - memory.startedAtMs >= windowMs) Object.assign(memory, { startedAtMs: nowMs, used: 0 });
    if (memory.used < calls) {
      memory.used++;
      return context.notDelivered('within the quota');
    }
    const retryAfterSeconds = Math.ceil((memory.startedAtMs + windowMs - nowMs) / 1000);
    const message = `Quota of ${calls} calls exceeded. Retry after ${retryAfterSeconds} seconds.`;
    return [answer(rpcError(event.exchange.id, -32000, message), { status: 429, headers: { 'retry-after': String(retryAfterSeconds) } })];
  },
});
