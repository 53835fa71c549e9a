/**
 * Deadline-aware routing: a call that will not be back in time is not made. The caller takes its other way at once, and
 * the slow tool gets less to do.
 */

/** When a tool counts as too slow. */
export type DeadlineRoutingOptions = {
  /** Calls to see before it judges. */
  readonly minCalls?: number | undefined;
  /** How much a new call moves the estimate. */
  readonly weight?: number | undefined;
  /** Every Nth call goes through although it looks too slow: how else would it be seen to be well again? */
  readonly probeInterval?: number | undefined;
};

/** What is known about one tool's speed. No clock inside. */
export type DeadlineRouting = {
  /** Is it likely to be back within this time? */
  isWorthCalling(leftMs: number): boolean;
  /** How long a call took; a call that was given up counts with the time it was given. */
  record(latencyMs: number): void;
  /** A high guess of what the next call takes; undefined before there are enough calls. */
  estimateMs(): number | undefined;
};

/** Starts with nothing known: everything is worth a call. */
export function createDeadlineRouting(options: DeadlineRoutingOptions = {}): DeadlineRouting {
  const { minCalls = 8, weight = 0.1, probeInterval = 20 } = options;
  let calls = 0;
  let mean = 0;
  let deviation = 0;
  let skipped = 0;
  // Two mean deviations above the mean: what most calls stay below, from two numbers and no list (as TCP estimates).
  const estimateMs = (): number | undefined => (calls < minCalls ? undefined : mean + 2 * deviation);
  return {
    isWorthCalling(leftMs) {
      const estimate = estimateMs();
      if (estimate === undefined || estimate <= leftMs) return true;
      skipped++;
      return skipped % probeInterval === 0;
    },
    record(latencyMs) {
      if (!Number.isFinite(latencyMs)) return;
      if (calls === 0) mean = latencyMs;
      deviation += weight * (Math.abs(latencyMs - mean) - deviation);
      mean += weight * (latencyMs - mean);
      calls++;
    },
    estimateMs,
  };
}
