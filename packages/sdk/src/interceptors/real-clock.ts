/** The clock of live transports: monotonic time and real timers. */
import type { Clock } from '../core/clock.js';

/** Timers beyond this fire at once; 24.8 days is as good as for ever here. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Real time. Waits are rounded up: a delay of 50 ms is never seen as 49. */
export const realClock: Clock = {
  nowMs: () => globalThis.performance.now(),
  schedule(afterMs, action) {
    const timer = globalThis.setTimeout(action, Math.min(Math.ceil(afterMs), MAX_TIMER_MS));
    return () => globalThis.clearTimeout(timer);
  },
};
