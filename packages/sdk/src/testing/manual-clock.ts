import type { Clock } from '../core/clock.js';

/** A clock that moves only when it is told to. */
export type ManualClock = Clock & {
  /** Moves on and runs everything that falls due on the way, in order of time, then of scheduling. */
  advance(byMs: number): void;
  /** How much is still scheduled. */
  readonly waiting: number;
};

/** Starts a clock at 0, or at the given time. */
export function createManualClock(startMs = 0): ManualClock {
  let nowMs = startMs;
  let scheduled = 0;
  const due = new Map<number, { readonly atMs: number; readonly action: () => void }>();

  const next = (untilMs: number): number | undefined => {
    let first: number | undefined;
    for (const [key, { atMs }] of due) {
      if (atMs <= untilMs && (first === undefined || atMs < due.get(first)!.atMs)) first = key;
    }
    return first;
  };

  return {
    nowMs: () => nowMs,
    schedule(afterMs, action) {
      const key = scheduled++;
      due.set(key, { atMs: nowMs + Math.max(0, afterMs), action });
      return () => void due.delete(key);
    },
    advance(byMs) {
      const untilMs = nowMs + byMs;
      for (let key = next(untilMs); key !== undefined; key = next(untilMs)) {
        const { atMs, action } = due.get(key)!;
        due.delete(key);
        nowMs = atMs;
        action();
      }
      nowMs = untilMs;
    },
    get waiting() {
      return due.size;
    },
  };
}
