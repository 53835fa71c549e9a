import { EventEmitter } from 'node:events';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { readPool } from '../core/pool-figures.js';
import { shrinkPool } from './shrink-pool.js';

/** A client of the real pool that talks to nobody: it is connected as soon as it is asked to be. */
class IdleClient extends EventEmitter {
  readonly _queryable = true;
  isEnded = false;
  connect(done: (error: unknown) => void): void {
    queueMicrotask(() => done(undefined));
  }
  end(done?: () => void): void {
    this.isEnded = true;
    queueMicrotask(() => done?.());
  }
}

// The pool asks its clients for no more than the class above has.
const poolOf = (max: unknown, settings: pg.PoolConfig = {}): pg.Pool =>
  new pg.Pool({ ...settings, max: max as number, Client: IdleClient as never, idleTimeoutMillis: 0 });
const allowed = { isAllowed: () => true };
const fill = (pool: pg.Pool, count: number): Promise<pg.PoolClient[]> => Promise.all(Array.from({ length: count }, () => pool.connect()));
/** Until everything that was asked of the pool so far has happened: it uses ticks and microtasks only. */
const moment = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve));

test('closes idle clients above the new maximum, those that rested longest first', async () => {
  const pool = poolOf(10);
  const clients = await fill(pool, 8);
  for (const client of clients) client.release();
  const shrink = shrinkPool(pool, { max: 3, ...allowed });
  expect(shrink.before).toEqual({ max: 10, total: 8, idle: 8, waiting: 0 });
  expect(shrink.read()).toEqual({ max: 3, total: 3, idle: 3, waiting: 0 });
  expect(clients.map((client) => (client as unknown as IdleClient).isEnded)).toEqual([...Array(5).fill(true), ...Array(3).fill(false)]);
  expect(shrink.undo()).toEqual({ max: 10, total: 3, idle: 3, waiting: 0 });
});

test('lets clients at work finish, and keeps back whoever waits until the count fits', async () => {
  const pool = poolOf(6);
  const clients = await fill(pool, 6);
  const shrink = shrinkPool(pool, { max: 2, ...allowed });
  let served = 0;
  const waiters = [1, 2, 3].map(() => pool.connect().then((client) => (served++, client)));
  for (const [index, client] of clients.slice(0, 4).entries()) {
    client.release();
    await moment();
    expect([shrink.read(), served]).toEqual([{ max: 2, total: 5 - index, idle: 0, waiting: 3 }, 0]);
  }
  clients[4]!.release();
  await moment();
  expect([shrink.read(), served]).toEqual([{ max: 2, total: 2, idle: 0, waiting: 2 }, 1]);
  // Both of those that are left are served at once, on clients that are opened for them.
  expect(shrink.undo()).toEqual({ max: 6, total: 4, idle: 0, waiting: 0 });
  expect(await Promise.all(waiters)).toHaveLength(3);
});

test('counts clients that are still connecting', async () => {
  const pool = poolOf(5);
  const connecting = fill(pool, 5);
  const { read, undo } = shrinkPool(pool, { max: 1, ...allowed });
  for (const client of await connecting) client.release();
  expect(read()).toEqual({ max: 1, total: 1, idle: 1, waiting: 0 });
  undo();
});

test('of several shrinks the lowest holds, and they may be undone in any order, twice', () => {
  const pool = poolOf(100);
  const [a, b, c] = [70, 30, 10].map((max) => shrinkPool(pool, { max, ...allowed }));
  expect(readPool(pool).max).toBe(10);
  expect([b!.undo().max, c!.undo().max, b!.undo().max, a!.undo().max, a!.undo().max]).toEqual([10, 70, 70, 100, 100]);
  expect(pool.listenerCount('release')).toBe(0);
});

test('puts back what was there, in the type that it had', () => {
  const pool = poolOf('100');
  shrinkPool(pool, { max: 10, ...allowed }).undo();
  expect(pool.options.max).toBe('100');
});

test('leaves a maximum alone that the owner of the pool changed meanwhile', () => {
  const pool = poolOf(100);
  const outer = shrinkPool(pool, { max: 50, ...allowed });
  pool.options.max = 80;
  const inner = shrinkPool(pool, { max: 20, ...allowed });
  expect([inner.undo().max, outer.undo().max]).toEqual([50, 80]);
  const last = shrinkPool(pool, { max: 50, ...allowed });
  pool.options.max = 5;
  expect(last.undo().max).toBe(5);
});

test('a pool that ends while it is small ends, and its undo wakes nobody', async () => {
  const pool = poolOf(5);
  const [first, second] = await fill(pool, 2);
  const shrink = shrinkPool(pool, { max: 1, ...allowed });
  const ended = pool.end();
  first!.release();
  second!.release();
  await ended;
  expect(shrink.undo()).toEqual({ max: 5, total: 0, idle: 0, waiting: 0 });
});

test('a full pool times out with its own error', async () => {
  const pool = poolOf(5, { connectionTimeoutMillis: 1 });
  const clients = await fill(pool, 2);
  const shrink = shrinkPool(pool, { max: 1, ...allowed });
  await expect(pool.connect()).rejects.toThrow(/^timeout exceeded when trying to connect$/);
  expect(shrink.undo().waiting).toBe(0);
  for (const client of clients) client.release();
});

const nonsense: [unknown, string, string?][] = [
  [0, 'max must be a whole number from 1 to 9, not 0', 'The nearest allowed value is 1.'],
  [-3, 'max must be a whole number from 1 to 9, not -3', 'The nearest allowed value is 1.'],
  [2.5, 'max must be a whole number from 1 to 9, not 2.5', 'The nearest allowed value is 3.'],
  [10, 'max must be a whole number from 1 to 9, not 10', 'The nearest allowed value is 9.'],
  [Number.NaN, 'max must be a whole number from 1 to 9, not NaN'],
  [Infinity, 'max must be a whole number from 1 to 9, not Infinity'],
  ['5', 'max must be a whole number from 1 to 9, not "5"'],
  [undefined, 'max must be a whole number from 1 to 9, not nothing'],
];
test.each(nonsense)('refuses a maximum of %s, and changes nothing', (max, message, advice) => {
  const pool = poolOf(10);
  expect(() => shrinkPool(pool, { max: max as number, ...allowed })).toThrow(
    expect.objectContaining({ message: `The pool is not shrunk: ${message}.`, ...(advice === undefined ? {} : { advice }) }),
  );
  expect([readPool(pool).max, pool.listenerCount('release')]).toEqual([10, 0]);
});

test('refuses a pool that has ended, one without room, one that is frozen, and what is no pool', async () => {
  const shrink = (pool: unknown): unknown => shrinkPool(pool as pg.Pool, { max: 1, ...allowed });
  const ended = poolOf(10);
  await ended.end();
  expect(() => shrink(ended)).toThrow(expect.objectContaining({ code: 'STOPPED', message: 'The pool is not shrunk: it has ended.' }));
  expect(() => shrink(poolOf(1))).toThrow('its maximum is 1 already');
  const frozen = poolOf(10);
  Object.freeze(frozen.options);
  expect(() => shrink(frozen)).toThrow('its options are frozen');
  expect(frozen.listenerCount('release')).toBe(0);
  for (const other of [null, 5, 'pool', {}, { options: {} }, { options: { max: 10 }, totalCount: 0, idleCount: 0, waitingCount: 0 }])
    expect(() => shrink(other)).toThrow(expect.objectContaining({ code: 'WRONG_TYPE', advice: 'It takes a Pool of pg 8.16 or later.' }));
});

test('is refused by the guard, as all injection is', () => {
  const pool = poolOf(10);
  expect(() => shrinkPool(pool, { max: 5 })).toThrow(
    expect.objectContaining({ code: 'NOT_ALLOWED', message: 'The pool is not shrunk: CHAOS_ENABLED is not "true".' }),
  );
  expect(readPool(pool).max).toBe(10);
});

type Step = { readonly kind: 'connect' | 'release' | 'break' | 'wait' | 'shrink' | 'undo'; readonly at: number };
const steps = fc.array(
  fc.record<Step>({ kind: fc.constantFrom('connect', 'release', 'break', 'wait', 'shrink', 'undo'), at: fc.nat(1000) }),
  { maxLength: 60 },
);

const playSteps = async (max: number, script: readonly Step[]): Promise<void> => {
  const pool = poolOf(max);
  const out: pg.PoolClient[] = [];
  const shrinks: ReturnType<typeof shrinkPool>[] = [];
  const asked: Promise<unknown>[] = [];
  let highest = 0;
  for (const { kind, at } of script) {
    if (kind === 'connect') asked.push(pool.connect().then((client) => out.push(client)));
    else if (kind === 'release' || kind === 'break') out.splice(at % Math.max(1, out.length), 1)[0]?.release(kind === 'break');
    else if (kind === 'wait') await moment();
    else if (kind === 'undo') shrinks.splice(at % Math.max(1, shrinks.length), 1)[0]?.undo();
    else if (readPool(pool).max > 1) {
      const wanted = 1 + (at % (readPool(pool).max - 1));
      shrinks.push(shrinkPool(pool, { max: wanted, ...allowed }));
      expect(readPool(pool).max).toBe(wanted);
    }
    highest = Math.max(highest, pool.totalCount);
    // Above the limit there are only clients at work.
    if (pool.totalCount > readPool(pool).max) expect(pool.idleCount).toBe(0);
  }
  expect(highest).toBeLessThanOrEqual(max);
  for (const shrink of shrinks) shrink.undo();
  expect([readPool(pool).max, pool.listenerCount('release')]).toEqual([max, 0]);
  // As long as clients come back, everybody is served.
  for (let turns = 0; turns <= script.length && pool.waitingCount > 0; turns++) {
    await moment();
    for (const client of out.splice(0)) client.release();
  }
  await Promise.all(asked);
  for (const client of out) client.release();
  await pool.end();
  expect(readPool(pool)).toEqual({ max, total: 0, idle: 0, waiting: 0 });
};

test('whatever happens meanwhile, nobody is lost and all is as before', async () => {
  await fc.assert(fc.asyncProperty(fc.integer({ min: 2, max: 12 }), steps, playSteps), { numRuns: 300 });
});
