/** A server that we pretend stands still: what is to happen waits, in its order, until it moves again. */
import type { Cancel, Clock } from '../core/clock.js';

/** See the module comment. */
export type Freezer = {
  readonly isFrozen: boolean;
  /** Stands still for so long. A second freeze can only make the first one longer. */
  freeze(forMs: number): void;
  thaw(): void;
  /** At once, or when it moves again. */
  afterThaw<Result>(action: () => Promise<Result>): Promise<Result>;
};

/** Starts in motion. */
export function createFreezer(clock: Clock): Freezer {
  let untilMs = -Infinity;
  let stopTimer: Cancel = () => {};
  let waiting: (() => void)[] | undefined;
  const thaw = (): void => {
    stopTimer();
    const actions = waiting ?? [];
    waiting = undefined;
    untilMs = -Infinity;
    for (const action of actions) action();
  };
  return {
    get isFrozen() {
      return waiting !== undefined;
    },
    freeze(forMs) {
      const endsAtMs = clock.nowMs() + forMs;
      if (endsAtMs <= untilMs) return;
      untilMs = endsAtMs;
      stopTimer();
      waiting ??= [];
      stopTimer = clock.schedule(forMs, thaw);
    },
    thaw,
    afterThaw(action) {
      if (waiting === undefined) return action();
      return new Promise((resolve, reject) => {
        waiting?.push(() => action().then(resolve, reject));
      });
    },
  };
}
