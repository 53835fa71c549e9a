/** A server that we pretend stands still: what is to happen waits, in its order, until it moves again. */
import type { Cancel, Clock } from '../core/clock.js';

/** See the module comment. */
export type Freezer = {
  /** Stands still for so long. A second freeze can only make the first one longer. */
  freeze(forMs: number): void;
  thaw(): void;
  readonly isStill: boolean;
  /** At once, or when it moves again. */
  whenMoving(action: () => void): void;
  /** The same for something that takes its own time, and may fail. */
  afterThaw(action: () => Promise<void>): Promise<void>;
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
  const whenMoving = (action: () => void): void => {
    if (waiting === undefined) action();
    else waiting.push(action);
  };
  return {
    freeze(forMs) {
      const endsAtMs = clock.nowMs() + forMs;
      if (endsAtMs <= untilMs) return;
      untilMs = endsAtMs;
      stopTimer();
      waiting ??= [];
      stopTimer = clock.schedule(forMs, thaw);
    },
    thaw,
    get isStill() {
      return waiting !== undefined;
    },
    whenMoving,
    afterThaw: (action) =>
      waiting === undefined ? action() : new Promise((resolve, reject) => whenMoving(() => void action().then(resolve, reject))),
  };
}
