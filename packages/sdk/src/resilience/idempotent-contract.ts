/** An idempotent contract: an operation that was done is not done again; whoever asks again gets the same answer. */

/** The state of a contract. */
export type IdempotentContract<Result> = {
  /** The result of the operation with this key: a remembered one, or that of doing it now. */
  once(key: string, execute: () => Result): { readonly result: Result; readonly isRepeat: boolean };
};

/** Starts with nothing done. Remembers the last operations, the oldest goes first: a retry comes soon or not at all. */
export function createIdempotentContract<Result>({
  maxRemembered = 10_000,
}: { readonly maxRemembered?: number } = {}): IdempotentContract<Result> {
  const done = new Map<string, { readonly result: Result }>();
  return {
    once(key, execute) {
      const known = done.get(key);
      if (known !== undefined) return { result: known.result, isRepeat: true };
      const result = execute();
      if (done.size >= maxRemembered) done.delete(done.keys().next().value!);
      done.set(key, { result });
      return { result, isRepeat: false };
    },
  };
}
