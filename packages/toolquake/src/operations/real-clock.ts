/** The clock of live runs: monotonic time and real timers. */
import type { Clock } from '@toolquake/sdk/core';

/** Node fires timers beyond this at once; 24.8 days is as good as for ever here. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Real time. Waits are rounded up: a delay of 50 ms is never seen as 49. */
export const realClock: Clock = {
  nowMs: () => performance.now(),
  schedule: (afterMs, action) => {
    const timer = setTimeout(action, Math.min(Math.ceil(afterMs), MAX_TIMER_MS));
    return () => clearTimeout(timer);
  },
};
