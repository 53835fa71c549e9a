/** Waiting for the world without trusting it: a time box around each port, and a look at everything that may stop the run at each tick. */
import type { Clock } from '@toolquake/sdk/core';

/** What came of some work. */
export type Settled<Value> = { readonly kind: 'done'; readonly value: Value } | { readonly kind: 'failed'; readonly why: string };

/** Its time was over. It may still settle, and nobody waits for it any more. */
export type Late = { readonly kind: 'late' };

/** Something ended the run before it settled. */
export type Stopped<Stop> = { readonly kind: 'stopped'; readonly stop: Stop };

/** Why something failed, in its own words. */
export const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Begins some work; never rejects. A port that throws instead of rejecting is a port that failed. */
export async function settle<Value>(work: () => Promise<Value>): Promise<Settled<Value>> {
  try {
    return { kind: 'done', value: await work() };
  } catch (error) {
    return { kind: 'failed', why: wordsOf(error) };
  }
}

type Pause = { readonly over: Promise<void>; end(): void };

/** Over after a time, when the signal aborts, or when somebody ends it. */
function pause(clock: Clock, forMs: number, signal?: AbortSignal): Pause {
  let end = (): void => {};
  const over = new Promise<void>((resolve) => {
    const cancel = clock.schedule(forMs, () => end());
    end = () => {
      cancel();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    if (signal?.aborted === true) end();
    else signal?.addEventListener('abort', end);
  });
  return { over, end };
}

/** Waits for what was begun, for so long at most, whatever happens meanwhile. For undoing and tidying, which nothing may cut short. */
export async function box<Value>(clock: Clock, begun: Promise<Value>, forMs: number): Promise<Value | Late> {
  const { over, end } = pause(clock, forMs);
  const result = await Promise.race([begun, over.then((): Late => ({ kind: 'late' }))]);
  end();
  return result;
}

/** What waiting needs to know. */
export type AttendOptions<Stop> = {
  readonly clock: Clock;
  /** Wakes at once whoever waits. */
  readonly signal: AbortSignal;
  readonly tickMs: number;
  /** Looks whether the run has to stop. While the signal is aborted it must say so. */
  look(): Stop | undefined;
};

/** Waits for what was begun, or just lets the time pass; looks at every tick. */
export async function attend<Value, Stop>(
  begun: Promise<Settled<Value>> | undefined,
  forMs: number,
  { clock, signal, tickMs, look }: AttendOptions<Stop>,
): Promise<Settled<Value> | Late | Stopped<Stop>> {
  const endMs = clock.nowMs() + forMs;
  for (;;) {
    const { over, end } = pause(clock, Math.max(0, Math.min(tickMs, endMs - clock.nowMs())), signal);
    const ticked = over.then(() => undefined);
    const result = await (begun === undefined ? ticked : Promise.race([begun, ticked]));
    end();
    if (result !== undefined) return result;
    const stop = look();
    if (stop !== undefined) return { kind: 'stopped', stop };
    if (clock.nowMs() >= endMs) return { kind: 'late' };
  }
}
