/** An idempotent contract: an operation that was done is not done again; whoever asks again gets the same answer. */

/** The state of a contract. */
export type IdempotentContract<Result> = {
  /** The result of the operation with this key: a remembered one, or that of doing it now. */
  once(key: string, execute: () => Result): { readonly result: Result; readonly isRepeat: boolean };
  /** It turned out not to have been done: whoever asks next does it. */
  forget(key: string): void;
};

/**
 * Starts with nothing done. Remembers the last operations, at least half of `maxRemembered` and never more: a retry comes
 * soon or not at all. In two halves, the older of which is forgotten as a whole, so that forgetting costs nothing.
 */
export function createIdempotentContract<Result>({
  maxRemembered = 10_000,
}: {
  readonly maxRemembered?: number;
} = {}): IdempotentContract<Result> {
  const half = Math.max(1, Math.floor(maxRemembered / 2));
  let newer = new Map<string, { readonly result: Result }>();
  let older = newer;
  return {
    once(key, execute) {
      const known = newer.get(key) ?? older.get(key);
      if (known !== undefined) return { result: known.result, isRepeat: true };
      const result = execute();
      if (newer.size >= half) {
        older = newer;
        newer = new Map();
      }
      newer.set(key, { result });
      return { result, isRepeat: false };
    },
    forget(key) {
      newer.delete(key);
      older.delete(key);
    },
  };
}
