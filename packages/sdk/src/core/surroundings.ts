/**
 * Real time and real chance: what a port is filled with when nobody hands in another. The one file of the pure layers
 * that reaches for them, and no part of what decides: whoever imports it must take the same thing as an option.
 */
import type { Cancel, Clock } from './clock.js';

/** Timers beyond this fire at once; 24.8 days is as good as for ever here. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const nowMs = (): number => globalThis.performance.now();

/** Real time. Waits are rounded up: a delay of 50 ms is never seen as 49. */
export const realClock: Clock = { nowMs, schedule: (afterMs, action) => startTimer(afterMs, action).stop };

/** Real time whose timers keep no process alive: for what is only tidied up later, such as a rule that expires. */
export const backgroundClock: Clock = {
  nowMs,
  schedule(afterMs, action) {
    const { timer, stop } = startTimer(afterMs, action);
    // A number in browsers and workers, where nothing waits for timers.
    if (typeof timer === 'object') (timer as { unref?: () => void }).unref?.();
    return stop;
  },
};

function startTimer(afterMs: number, action: () => void): { readonly timer: unknown; readonly stop: Cancel } {
  const timer = globalThis.setTimeout(action, Math.min(Math.ceil(afterMs), MAX_TIMER_MS));
  return { timer, stop: () => globalThis.clearTimeout(timer) };
}

/** Numbers in [0, 1) that differ between processes: a hundred callers must not wait the same time before they try again. */
export const realRandom = (): number => Math.random();
