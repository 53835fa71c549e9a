/** A retry budget: how often one operation may be tried again, and how much of all traffic retries may be. */

/** What a budget allows. */
export type RetryBudgetOptions = {
  /** Retries of one operation, after its first attempt. */
  readonly maxRetries: number;
  /**
   * Retries per first attempt, over everything this budget has seen: 0.1 lets retries add a tenth to the load at most.
   * Without it a server that fails every call is sent `1 + maxRetries` times the traffic: a retry storm.
   */
  readonly maxShare?: number | undefined;
  /** Retries that `maxShare` grants in advance, so that a single failure early on can be retried at all. */
  readonly reserve?: number | undefined;
};

/** The state of a budget. It holds no clock: what it knows is what it was told. */
export type RetryBudget = {
  /** A first attempt was made. */
  recordFirst(): void;
  /** Takes one retry out of the budget, for an operation that was retried `retriesSoFar` times; false when it may not. */
  takeRetry(retriesSoFar: number): boolean;
  /** Retries taken so far. */
  retries(): number;
};

/** Starts a budget. */
export function createRetryBudget(options: RetryBudgetOptions): RetryBudget {
  const { maxRetries, maxShare = Number.POSITIVE_INFINITY, reserve = 10 } = options;
  let firsts = 0;
  let retries = 0;
  return {
    recordFirst() {
      firsts++;
    },
    takeRetry(retriesSoFar) {
      if (retriesSoFar >= maxRetries) return false;
      if (maxShare !== Number.POSITIVE_INFINITY && retries + 1 > reserve + maxShare * firsts) return false;
      retries++;
      return true;
    },
    retries: () => retries,
  };
}
