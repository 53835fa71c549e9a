/** Does something again and again until a signal says stop: the next round begins a while after the last one ended. */
import type { Clock } from '@toolquake/sdk/core';

/** When, and until when. */
export type EveryOptions = { readonly everyMs: number; readonly clock: Clock; readonly signal: AbortSignal };

/** The first round begins at once. Resolves when the signal aborts and the round that was under way has ended. */
export async function every({ everyMs, clock, signal }: EveryOptions, round: () => Promise<void> | void): Promise<void> {
  while (!signal.aborted) {
    await round();
    await pause(everyMs, clock, signal);
  }
}

/** Over after a time, or at once when the signal aborts. */
export function pause(ms: number, clock: Clock, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve();
    };
    const cancel = clock.schedule(ms, end);
    signal.addEventListener('abort', end);
  });
}
