/** What a connection pool says of itself, in one shape: for experiments that change a pool, and for signals that watch one. */

/** A `pg.Pool`, as far as it is looked at from outside. */
export type PoolGauges = {
  readonly options: object;
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
};

/** Clients of a pool, counted at one moment. */
export type PoolFigures = {
  /** The most that the pool may have. */
  readonly max: number;
  /** All that it has: idle, checked out, and connecting. */
  readonly total: number;
  readonly idle: number;
  /** Callers who wait for a client. What stays above 0 is the first sign of a pool that is too small. */
  readonly waiting: number;
};

/** Reads a pool. Looks only: it is never guarded, and costs four property reads. */
export function readPool({ options, totalCount, idleCount, waitingCount }: PoolGauges): PoolFigures {
  const { max } = options as { readonly max?: unknown };
  // The pool compares it as a number, whatever it was given: `max: process.env.POOL_MAX` is a text.
  return { max: Number(max), total: totalCount, idle: idleCount, waiting: waitingCount };
}
