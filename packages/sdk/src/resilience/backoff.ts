/** How long to wait before a retry: longer each time, and never the same for everybody. */

/** How waits grow. */
export type BackoffOptions = {
  /** Before the first retry. */
  readonly firstMs: number;
  /** Each further wait is so many times the one before. */
  readonly factor: number;
  readonly maxMs: number;
  /** Share of the wait that is drawn, from 0 to 1: without it, callers that failed together come back together. */
  readonly jitter: number;
};

/** The wait before retry number `retry` (from 0). `draw` is asked for a number in [0, 1) when there is jitter. */
export function backoffMs({ firstMs, factor, maxMs, jitter }: BackoffOptions, retry: number, draw: () => number): number {
  const waitMs = Math.min(maxMs, firstMs * factor ** Math.min(retry, 60));
  return jitter === 0 ? waitMs : waitMs * (1 - jitter * draw());
}
