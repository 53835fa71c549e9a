/** One deadline for everything that an operation does: attempts, waits and questions asked afterwards. */
import type { Clock } from '../core/clock.js';
import { realClock } from '../core/surroundings.js';

/** A moment after which nobody waits any more. Hand one to several calls and they share it. */
export type Deadline = {
  leftMs(): number;
  /** Whoever asked may lose interest earlier. */
  readonly signal: AbortSignal | undefined;
};

/** A deadline so many milliseconds from now. */
export function createDeadline(
  inMs: number,
  options: { readonly clock?: Clock; readonly signal?: AbortSignal | undefined } = {},
): Deadline {
  const { clock = realClock, signal } = options;
  const endsAtMs = clock.nowMs() + inMs;
  return { leftMs: () => Math.max(0, endsAtMs - clock.nowMs()), signal };
}

/** How work within a limit ended. */
export type Finish<Value> =
  | { readonly how: 'done'; readonly value: Value }
  | { readonly how: 'threw'; readonly error: unknown }
  | { readonly how: 'late' }
  | { readonly how: 'cancelled' };

/**
 * Does some work for so long at most. Its signal is aborted when time is up or the caller lost interest, and nobody
 * waits to see whether it listens; what it says afterwards is dropped.
 */
export function within<Value>(
  work: (signal: AbortSignal) => Promise<Value> | Value,
  limitMs: number,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal | undefined },
): Promise<Finish<Value>> {
  return new Promise((resolve) => {
    if (signal?.aborted === true) return resolve({ how: 'cancelled' });
    const controller = new AbortController();
    const stop = (finish: Finish<Value>): void => {
      cancelTimer();
      signal?.removeEventListener('abort', onAbort);
      resolve(finish);
    };
    const onAbort = (): void => {
      stop({ how: 'cancelled' });
      controller.abort(signal?.reason);
    };
    const cancelTimer = clock.schedule(limitMs, () => {
      stop({ how: 'late' });
      controller.abort(new DOMException('The operation timed out', 'TimeoutError'));
    });
    signal?.addEventListener('abort', onAbort);
    const failed = (error: unknown): void => stop({ how: 'threw', error });
    try {
      const value = work(controller.signal);
      if (isPromise(value)) value.then((told) => stop({ how: 'done', value: told }), failed);
      else stop({ how: 'done', value });
    } catch (error) {
      failed(error);
    }
  });
}

const isPromise = <Value>(value: Promise<Value> | Value): value is Promise<Value> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
