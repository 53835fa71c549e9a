/** The waits of faults at work: each ends in time, with its caller's signal, or when all are let go. */
import type { Cancel } from '../core/clock.js';
import { realClock } from '../core/surroundings.js';
import { abortReason } from '../interceptors/fetch-errors.js';

/** See the module comment. */
export type Waits = {
  /** Resolves when the time is over or was cut short by `letGo`; rejects with the reason of the signal. */
  wait(ms: number, signal?: AbortSignal): Promise<void>;
  letGo(): void;
};

/** Starts with none. */
export function createWaits(): Waits {
  const open = new Set<Cancel>();
  return {
    wait: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted === true) return reject(reasonOf(signal));
        const onAbort = (): void => {
          settle();
          // The wait was only begun with a signal where there is one to listen to.
          reject(reasonOf(signal!));
        };
        const onTime = (): void => {
          settle();
          resolve();
        };
        const stop = realClock.schedule(ms, onTime);
        const settle = (): void => {
          stop();
          open.delete(onTime);
          signal?.removeEventListener('abort', onAbort);
        };
        open.add(onTime);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
    letGo() {
      for (const end of open) end();
    },
  };
}

/** Whatever the caller chose, as fetch itself rejects with it. */
const reasonOf = (signal: AbortSignal): Error => abortReason(signal) as Error;
