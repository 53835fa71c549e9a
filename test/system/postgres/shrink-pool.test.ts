/** The experiment of a shrinking pool on a real PostgreSQL, with work going on all the while. */
import { readPool, shrinkPool } from '@toolquake/sdk/interceptors';
import pg from 'pg';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres, type Postgres } from './start-postgres.js';

const allowed = { isAllowed: () => true };
let database: Postgres | undefined;
let watcher: pg.Client;

beforeAll(async () => {
  database = await startPostgres({ max_connections: 130 });
  watcher = new pg.Client({ host: '127.0.0.1', port: database.port, user: 'tester', database: 'postgres' });
  await watcher.connect();
});
afterAll(async () => {
  await watcher?.end();
  await database?.stop();
});

function openPool(settings: pg.PoolConfig): pg.Pool {
  const where = { host: '127.0.0.1', port: database!.port, user: 'tester', database: 'postgres', application_name: 'payment' };
  const pool = new pg.Pool({ ...where, idleTimeoutMillis: 0, ...settings });
  onTestFinished(async () => {
    if (!pool.ending) await pool.end();
    // The next test counts connections, too.
    await vi.waitFor(async () => expect(await connections()).toBe(0), { timeout: 30_000 });
  });
  return pool;
}

/** How many connections of the pool the server itself knows of. */
async function connections(): Promise<number> {
  const { rows } = await watcher.query<{ count: number }>("SELECT count(*)::int FROM pg_stat_activity WHERE application_name = 'payment'");
  return rows[0]!.count;
}

const take = (pool: pg.Pool, count: number): Promise<pg.PoolClient[]> => Promise.all(Array.from({ length: count }, () => pool.connect()));

/** Callers that ask again and again, more of them than the pool has clients. `stop` tells how often each was answered. */
function startLoad(pool: pg.Pool, callers: number): { answers(): number; stop(): Promise<number> } {
  let isOver = false;
  let answers = 0;
  const callAgain = async (caller: number): Promise<number> => {
    let own = 0;
    while (!isOver) {
      const { rows } = await pool.query<{ answer: number }>('SELECT $1::int * 2 AS answer', [caller * 1000 + own]);
      expect(rows).toEqual([{ answer: (caller * 1000 + own) * 2 }]);
      own++;
      answers++;
    }
    return own;
  };
  const all = Array.from({ length: callers }, (_, caller) => callAgain(caller));
  return {
    answers: () => answers,
    async stop() {
      isOver = true;
      return (await Promise.all(all)).reduce((sum, one) => sum + one, 0);
    },
  };
}

test('goes from 100 to 70, 50, 30 and 10 under load and back, and nothing is lost', async () => {
  const pool = openPool({ max: 100 });
  const load = startLoad(pool, 150);
  await vi.waitFor(async () => expect(await connections()).toBe(100), { timeout: 60_000 });

  for (const max of [70, 50, 30, 10]) {
    const shrink = shrinkPool(pool, { max, ...allowed });
    expect([shrink.before.max, shrink.read().max]).toEqual([100, max]);
    await vi.waitFor(async () => expect([readPool(pool).total, await connections()]).toEqual([max, max]), { timeout: 60_000 });
    const before = load.answers();
    await vi.waitFor(() => expect(load.answers()).toBeGreaterThan(before + 300), { timeout: 60_000 });
    expect(readPool(pool)).toMatchObject({ max, total: max });

    expect(shrink.undo().max).toBe(100);
    await vi.waitFor(async () => expect([readPool(pool).total, await connections()]).toEqual([100, 100]), { timeout: 60_000 });
  }
  // Every caller got every answer that it asked for: one error would have rejected here.
  expect(await load.stop()).toBe(load.answers());
  expect(pool.waitingCount).toBe(0);
});

test('goes down step by step, and up again last in, first out', async () => {
  const pool = openPool({ max: 100 });
  for (const client of await take(pool, 100)) client.release();
  const shrinks = [];
  for (const max of [70, 50, 30, 10]) {
    shrinks.push(shrinkPool(pool, { max, ...allowed }));
    expect(readPool(pool)).toEqual({ max, total: max, idle: max, waiting: 0 });
    await vi.waitFor(async () => expect(await connections()).toBe(max), { timeout: 30_000 });
  }
  expect(shrinks.toReversed().map((shrink) => shrink.undo().max)).toEqual([30, 50, 70, 100]);
});

test('a transaction at work is not killed: it commits, and its connection closes afterwards', async () => {
  const pool = openPool({ max: 5 });
  await watcher.query('CREATE TABLE payments (id int)');
  const clients = await take(pool, 5);
  for (const client of clients) await client.query('BEGIN');
  const shrink = shrinkPool(pool, { max: 1, ...allowed });
  for (const [id, client] of clients.entries()) await client.query('INSERT INTO payments VALUES ($1)', [id]);
  expect(await connections()).toBe(5);
  for (const client of clients) {
    await client.query('COMMIT');
    client.release();
  }
  await vi.waitFor(async () => expect(await connections()).toBe(1), { timeout: 30_000 });
  expect((await watcher.query('SELECT id FROM payments ORDER BY id')).rows.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4]);
  shrink.undo();
});

test('who waits is served at once after the undo, while all others are still at work', async () => {
  const pool = openPool({ max: 20 });
  const busy = await take(pool, 2);
  const shrink = shrinkPool(pool, { max: 2, ...allowed });
  const waiters = take(pool, 15);
  await expect.poll(() => shrink.read()).toEqual({ max: 2, total: 2, idle: 0, waiting: 15 });
  expect(shrink.undo()).toEqual({ max: 20, total: 17, idle: 0, waiting: 0 });
  for (const client of [...busy, ...(await waiters)]) client.release();
});

test('whoever waits too long gets the error of any full pool, word for word', async () => {
  const failure = async (prepare: (pool: pg.Pool) => unknown, max: number): Promise<unknown> => {
    const pool = openPool({ max });
    const busy = await take(pool, 1);
    // The pool looks at it again for each caller: only the one that waits is to have little time.
    pool.options.connectionTimeoutMillis = 50;
    await prepare(pool);
    const error = await pool.query('SELECT 1').catch((thrown: unknown) => thrown);
    for (const client of busy) client.release();
    await pool.end();
    return error;
  };
  const real = await failure(() => {}, 1);
  const shrunk = await failure((pool) => shrinkPool(pool, { max: 1, ...allowed }), 10);
  expect(real).toEqual(new Error('timeout exceeded when trying to connect'));
  expect(shrunk).toEqual(real);
  expect(Object.getPrototypeOf(shrunk)).toBe(Object.getPrototypeOf(real));
});
