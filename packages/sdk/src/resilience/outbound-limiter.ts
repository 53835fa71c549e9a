/**
 * A limit on what a caller sends per second. As a hard reject it is a trap: a refusal looks like a failure, a failure is
 * retried, and the retries use the limit up. As a breaker it stops for a while and says so, and nobody retries.
 */

/** What a limiter allows. */
export type OutboundLimiterOptions = {
  readonly perSecond: number;
  /** `reject`: each call too many is refused. `breaker`: the first call too many stops all calls for `openMs`. */
  readonly mode?: 'reject' | 'breaker' | undefined;
  readonly openMs?: number | undefined;
  /**
   * Refused calls count against the limit too: a common mistake (the counter is raised before it is compared). While
   * more than the limit is asked for, nothing at all gets through.
   */
  readonly countsRefused?: boolean | undefined;
};

/** `open`: the breaker is open; trying again soon is pointless. */
export type LimiterAnswer = 'go' | 'refused' | 'open';

/** The state of a limiter. It is told the time. */
export type OutboundLimiter = { take(nowMs: number): LimiterAnswer; isOpen(nowMs: number): boolean };

/** The last second in slices: the more of them, the smoother it slides. */
const SLICES = 20;
const SLICE_MS = 1000 / SLICES;

/** Starts with nothing sent. */
export function createOutboundLimiter(options: OutboundLimiterOptions): OutboundLimiter {
  const { perSecond, mode = 'reject', openMs = 5000, countsRefused = false } = options;
  const counts: number[] = Array.from({ length: SLICES }, () => 0);
  let newest = 0;
  let inWindow = 0;
  let openUntilMs = Number.NEGATIVE_INFINITY;

  /** Forgets slices that are older than a second. */
  const slide = (nowMs: number): void => {
    const slice = Math.floor(nowMs / SLICE_MS);
    const steps = Math.min(slice - newest, SLICES);
    for (let step = 1; step <= steps; step++) {
      const index = (newest + step) % SLICES;
      inWindow -= counts[index]!;
      counts[index] = 0;
    }
    newest = Math.max(newest, slice);
  };

  const count = (): void => {
    counts[newest % SLICES]!++;
    inWindow++;
  };

  return {
    take(nowMs) {
      if (nowMs < openUntilMs) return 'open';
      slide(nowMs);
      if (inWindow < perSecond) {
        count();
        return 'go';
      }
      if (mode === 'breaker') {
        openUntilMs = nowMs + openMs;
        return 'open';
      }
      if (countsRefused) count();
      return 'refused';
    },
    isOpen: (nowMs) => nowMs < openUntilMs,
  };
}
