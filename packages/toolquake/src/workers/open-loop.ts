/** Arrivals at a fixed rate, whatever becomes of those before: a slow server must not slow the schedule without anybody noticing. */
import type { Clock } from '@toolquake/sdk/core';

/** What is wanted. */
export type OpenLoop = {
  readonly clock: Clock;
  readonly perSecond: number;
  readonly signal: AbortSignal;
  /** Called for each arrival, with its number from 0. Must not wait. */
  readonly onArrival: (arrival: number) => void;
};

/** Timers are late by a little; by more than this, and the arrivals in between are made up for at once, up to so many. */
const MAX_AT_ONCE = 1000;

/** Resolves when the signal aborts. */
export function runOpenLoop({ clock, perSecond, signal, onArrival }: OpenLoop): Promise<void> {
  const startMs = clock.nowMs();
  let next = 0;
  return new Promise((resolve) => {
    let cancel = (): void => {};
    const stop = (): void => {
      cancel();
      resolve();
    };
    const turn = (): void => {
      // Counted from the start, so that no delay adds up.
      const due = Math.floor(((clock.nowMs() - startMs) * perSecond) / 1000 + 1e-6);
      // This machine slept: nobody would have come in so short a time.
      if (due - next > MAX_AT_ONCE) next = due - MAX_AT_ONCE;
      for (; next <= due && !signal.aborted; next++) onArrival(next);
      if (!signal.aborted) cancel = clock.schedule(Math.max(0, startMs + (next * 1000) / perSecond - clock.nowMs()), turn);
    };
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', stop, { once: true });
    turn();
  });
}

/** Says once when arrivals begin to find no free caller, and once when that is over. */
export function createShortageNotes(tell: (text: string) => void): { look(missed: number, atMs: number): void } {
  let lastMissed = 0;
  let since: { readonly missed: number; readonly atMs: number } | undefined;
  return {
    look(missed, atMs) {
      const isShort = missed > lastMissed;
      if (isShort && since === undefined) {
        since = { missed: lastMissed, atMs };
        tell('The server is slower than the load asks: arrivals find no free caller, and are counted as missed.');
      } else if (!isShort && since !== undefined) {
        tell(`${missed - since.missed} arrivals found no free caller in ${Math.max(1, Math.round((atMs - since.atMs) / 1000))} s.`);
        since = undefined;
      }
      lastMissed = missed;
    },
  };
}
