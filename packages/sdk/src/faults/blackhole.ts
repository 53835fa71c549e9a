import { hold } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { ms } from '../core/params.js';

/** A firewall that drops without a word. `pre`: requests vanish. `post`: the server does the work, and its answers vanish. */
export const blackhole = defineFault({
  type: 'blackhole',
  summary: 'Swallows everything that a session asks for a while; the connection stays open.',
  carriers: ['mcp', 'bytes', 'command'],
  role: 'terminal',
  phases: ['pre', 'post'],
  params: {
    forMs: ms({ default: 10_000, min: 1, about: 'How long requests are swallowed, or the answers to what is asked in this time.' }),
  },
  memoryScope: 'session',
  memory: () => ({ untilMs: 0, startedBy: '' }),
  lasts: ({ untilMs }, { nowMs }) => nowMs < untilMs,
  decide: (event, { forMs }, { memory, nowMs, phase, transport }) => {
    if (event.kind !== 'frame') return [];
    const name = `${event.exchange.origin} ${event.exchange.ordinal}`;
    // A byte stream is one exchange that goes on for long: it starts its own silence once, and is heard again after it.
    if (nowMs >= memory.untilMs && memory.startedBy !== name) {
      memory.untilMs = nowMs + forMs;
      memory.startedBy = name;
    }
    if (nowMs >= memory.untilMs) return [];
    if (event.part !== (phase === 'pre' ? 'request' : 'answer')) return [];
    // TCP sends again what got lost on the way: a byte stream has a silence, never a hole.
    return [hold(event.frame, transport === 'tcp' ? { ms: memory.untilMs - nowMs } : 'never')];
  },
});
