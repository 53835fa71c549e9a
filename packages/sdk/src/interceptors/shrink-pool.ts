/**
 * Makes a live `pg.Pool` smaller, and as large again: the pool that somebody else uses up, without a second client of the
 * database. What waits, times out and fails afterwards is the pool's own doing.
 */
import type { Cancel } from '../core/clock.js';
import { createValueReader, describeValue } from '../core/check-value.js';
import { ToolquakeError, type ErrorCode } from '../core/errors.js';
import { whyGuarded } from './guard.js';
import { readPool, type PoolFigures, type PoolGauges } from '../core/pool-figures.js';

/** How a pool is shrunk. */
export type ShrinkPoolOptions = {
  /** The most clients that it may have from now on: at least 1, and less than it may have now. */
  readonly max: number;
  /** Overrides the guard. By default `CHAOS_ENABLED` must be `true`, and neither NODE_ENV nor ENVIRONMENT `production`. */
  readonly isAllowed?: () => boolean;
};

/** A pool that was made smaller. */
export type PoolShrink = {
  /** The pool as it was. */
  readonly before: PoolFigures;
  /** The pool as it is now: `max` tells at once whether the change or its undo took, `total` follows as clients come back. */
  read(): PoolFigures;
  /** Takes the limit away, and serves who waits. Twice is fine. Of several shrinks, the lowest that is left holds. */
  undo(): PoolFigures;
};

/** What `pg-pool` keeps to itself, in all of its releases that come with pg 8.16 and later. */
type PoolInsides = PoolGauges & {
  readonly options: { max: unknown };
  readonly ending: boolean;
  readonly _idle: readonly { readonly client: object }[];
  /** Clients that the pool removes instead of taking them back. */
  readonly _expired: WeakSet<object>;
  _remove(client: object): void;
  _pulseQueue(): void;
  on(event: 'release', listener: (error: unknown, client: object) => void): unknown;
  off(event: 'release', listener: (error: unknown, client: object) => void): unknown;
};

/** All shrinks of one pool. */
type Squeeze = {
  /** What the maximum is without us, in whatever type it was given. */
  own: unknown;
  /** What we made of it. A pool that says something else was resized by its owner. */
  put: unknown;
  readonly limits: Set<{ readonly max: number }>;
  readonly stopWatching: Cancel;
};

const squeezes = new WeakMap<object, Squeeze>();

/**
 * Lowers the maximum of a pool. Idle clients above it are closed; clients at work finish, and are closed as they are released;
 * callers wait as for any full pool, as long as its `connectionTimeoutMillis` lets them. Nonsense is refused, and changes
 * nothing.
 */
export function shrinkPool(given: PoolGauges, { max, isAllowed }: ShrinkPoolOptions): PoolShrink {
  const guarded = whyGuarded(isAllowed);
  if (guarded !== undefined) throw refusal('NOT_ALLOWED', guarded);
  const pool = insidesOf(given);
  const before = readPool(pool);
  checkMax(max, before.max);

  const squeeze = squeezes.get(pool) ?? startSqueeze(pool);
  const limit = { max };
  squeeze.limits.add(limit);
  const undo = (): PoolFigures => {
    if (squeeze.limits.delete(limit)) settle(pool, squeeze);
    return readPool(pool);
  };
  settle(pool, squeeze);
  if (readPool(pool).max > max) {
    undo();
    throw refusal('WRONG_TYPE', 'its options are frozen');
  }
  // Those that rested longest go first, as the pool hands out the one that came last.
  for (const { client } of pool._idle.slice(0, Math.max(0, pool.totalCount - max))) pool._remove(client);
  return { before, read: () => readPool(pool), undo };
}

function startSqueeze(pool: PoolInsides): Squeeze {
  // The pool says so before it looks whether to keep the client.
  const onRelease = (error: unknown, client: object): void => {
    if (!error && pool.totalCount > Number(pool.options.max)) pool._expired.add(client);
  };
  pool.on('release', onRelease);
  const { max } = pool.options;
  const squeeze = { own: max, put: max, limits: new Set<never>(), stopWatching: () => void pool.off('release', onRelease) };
  squeezes.set(pool, squeeze);
  return squeeze;
}

/** Makes the pool what its owner and the shrinks that are left want it to be. */
function settle(pool: PoolInsides, squeeze: Squeeze): void {
  const { options } = pool;
  // Resized by its owner meanwhile: that is what comes back in the end.
  if (options.max !== squeeze.put) squeeze.own = options.max;
  const lowest = Math.min(...[...squeeze.limits].map(({ max }) => max));
  squeeze.put = lowest < Number(squeeze.own) ? lowest : squeeze.own;
  Reflect.set(options, 'max', squeeze.put);
  if (squeeze.limits.size === 0) {
    squeezes.delete(pool);
    squeeze.stopWatching();
  }
  // A pool looks after one waiting caller per client that comes back: with room for many at once, we have to ask it to.
  while (!pool.ending && pool.waitingCount > 0 && pool.idleCount === 0 && pool.totalCount < Number(options.max)) pool._pulseQueue();
}

function checkMax(max: number, present: number): void {
  if (present <= 1) throw refusal('OUT_OF_RANGE', 'its maximum is 1 already');
  const reader = createValueReader();
  // A limit where the pool is already would change nothing: an experiment with it proves nothing.
  reader.number(max, ['max'], { min: 1, max: present - 1, isWhole: true });
  const [problem] = reader.problems;
  if (problem !== undefined) throw refusal(problem.code, problem.message.replace(/\.$/, ''), problem.advice);
}

/** A pool that we know inside out; any other is refused before it is touched. */
function insidesOf(given: PoolGauges): PoolInsides {
  // `unknown` values, whatever the types promise: it comes from another package.
  const pool = given as unknown as Partial<Record<keyof PoolInsides, unknown>> | null;
  const isKnown =
    typeof pool === 'object' &&
    pool !== null &&
    typeof pool.options === 'object' &&
    pool.options !== null &&
    Number(readPool(given).max) >= 1 &&
    Array.isArray(pool._idle) &&
    pool._expired instanceof WeakSet &&
    [pool._remove, pool._pulseQueue, pool.on, pool.off].every((method) => typeof method === 'function');
  if (!isKnown) {
    throw refusal('WRONG_TYPE', `${describeValue(given)} is no pool that is known here`, 'It takes a Pool of pg 8.16 or later.');
  }
  if (pool.ending === true) throw refusal('STOPPED', 'it has ended');
  return pool as PoolInsides;
}

const refusal = (code: ErrorCode, why: string, advice?: string): ToolquakeError =>
  new ToolquakeError(code, { message: `The pool is not shrunk: ${why}.`, advice });
