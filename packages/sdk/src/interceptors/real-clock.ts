import type { Clock } from '../core/clock.js';

/** Time as it passes. */
export const realClock: Clock = {
  nowMs: () => globalThis.performance.now(),
  schedule(afterMs, action) {
    const timer = globalThis.setTimeout(action, afterMs);
    return () => globalThis.clearTimeout(timer);
  },
};
