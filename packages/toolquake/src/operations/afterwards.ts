/** Work that nobody waits for: done when the traffic of this turn has gone out, at the time that it was noted. */
import type { Clock } from '@toolquake/sdk/core';

/** What waits may not grow beyond this; then it is done at once, and the traffic is as fast as the work. */
const MAX_WAITING_BYTES = 64 * 1024 * 1024;

/** See the module comment. */
export type Afterwards = {
  /** Shows the time at which the work at hand was noted. */
  readonly clock: Pick<Clock, 'nowMs'>;
  /** `bytes` is how much memory the work keeps until it is done. */
  do(bytes: number, work: () => void): void;
  /** Does everything now. */
  finish(): void;
};

/** `onProblem` hears of work that failed; the rest goes on. */
export function createAfterwards(clock: Pick<Clock, 'nowMs'>, onProblem: (error: unknown) => void): Afterwards {
  let waiting: { readonly atMs: number; readonly work: () => void }[] = [];
  let waitingBytes = 0;
  let atMs: number | undefined;

  const finish = (): void => {
    const all = waiting;
    waiting = [];
    waitingBytes = 0;
    for (const one of all) {
      ({ atMs } = one);
      try {
        one.work();
      } catch (error) {
        onProblem(error);
      }
    }
    atMs = undefined;
  };

  return {
    clock: { nowMs: () => atMs ?? clock.nowMs() },
    do(bytes, work) {
      if (waiting.length === 0) setImmediate(finish);
      waiting.push({ atMs: clock.nowMs(), work });
      waitingBytes += bytes;
      if (waitingBytes > MAX_WAITING_BYTES) finish();
    },
    finish,
  };
}
