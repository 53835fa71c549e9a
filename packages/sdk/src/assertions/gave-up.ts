/** "The caller gave up within": for code that must not wait for ever. */
import type { Clock } from '../core/clock.js';
import { isObject } from '../core/message.js';
import { realClock } from '../core/surroundings.js';
import { assertionFailure } from './assertion-failure.js';

/** How it is judged. */
export type GaveUpOptions = {
  readonly clock?: Clock;
  /** Is this value a way of giving up? By default an object whose `state` is `failed`, as `withResilience` reports it. */
  readonly isGivenUp?: (value: unknown) => boolean;
};

/** Does the work, which must fail within the time; returns what it failed with. Work that is not over by then is not waited for. */
export async function expectGaveUpWithin(limitMs: number, work: () => Promise<unknown>, options: GaveUpOptions = {}): Promise<unknown> {
  const { clock = realClock, isGivenUp = (value) => isObject(value) && value['state'] === 'failed' } = options;
  const startedAtMs = clock.nowMs();
  const fail = (what: string, actual: unknown): Error =>
    assertionFailure(`The caller was to give up within ${limitMs} ms, but ${what}.`, {
      actual,
      expected: limitMs,
      operator: 'expectGaveUpWithin',
    });
  let cancel = (): void => {};
  const tooLate = new Promise<never>((_, reject) => {
    cancel = clock.schedule(limitMs, () => reject(fail('it is still waiting', clock.nowMs() - startedAtMs)));
  });
  const over = work().then(
    (value) => {
      if (isGivenUp(value)) return value;
      throw fail(`it succeeded after ${Math.round(clock.nowMs() - startedAtMs)} ms`, value);
    },
    (error: unknown) => error,
  );
  return Promise.race([over, tooLate]).finally(cancel);
}
