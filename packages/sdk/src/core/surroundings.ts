/**
 * Real time and real chance: what a port is filled with when nobody hands in another. The one file of the pure layers
 * that reaches for them, and no part of what decides: whoever imports it must take the same thing as an option.
 */
import type { Clock } from './clock.js';

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

/** Numbers in [0, 1) that differ between processes: a hundred callers must not wait the same time before they try again. */
export const realRandom = (): number => Math.random();
