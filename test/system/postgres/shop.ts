/** A real database of a small shop, its clients, and rules for them. */
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptPostgres } from '@toolquake/sdk/interceptors';
import pg from 'pg';
import { afterAll, beforeAll, onTestFinished } from 'vitest';
import { startPostgres, type Postgres } from './start-postgres.js';

let database: Postgres | undefined;

/** Opens the shop of a test file. */
export function openShop(): void {
  beforeAll(async () => {
    database = await startPostgres();
    const client = new pg.Client(where());
    await client.connect();
    await client.query('CREATE TABLE items (id int PRIMARY KEY, name text, is_sold boolean, price numeric)');
    await client.query("INSERT INTO items VALUES (1, 'chair', true, 10.50), (2, 'table', false, 99), (3, 'lamp', null, null)");
    await client.query('CREATE TABLE writes (id int)');
    await client.end();
  });
  afterAll(() => database?.stop());
}

/** How it is reached. */
export const where = (): pg.ClientConfig => ({ host: '127.0.0.1', port: database!.port, user: 'tester', database: 'postgres' });

/** A client of its own, until the end of the test. */
export async function connected(settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...where(), ...settings });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

/** A pool, until the end of the test. */
export function openPool(settings: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...where(), max: 4, ...settings });
  pool.on('error', () => {});
  onTestFinished(async () => {
    if (!pool.ending) await pool.end();
  });
  return pool;
}

/** A run of these rules, until the end of the test. */
export function runWith(...rules: readonly object[]): Run {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
  onTestFinished(() => run.stop());
  return run;
}

/** A client under these rules. */
export async function shaken(rules: readonly object[], settings: pg.ClientConfig = {}): Promise<{ client: pg.Client; run: Run }> {
  const client = await connected(settings);
  const run = runWith(...rules);
  interceptPostgres(run, client, { target: 'shop' });
  return { client, run };
}

/** What a promise fails with. */
export const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );

/** A result without what its methods hold, or an error with all that it says. */
export const saidBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (result) => JSON.parse(JSON.stringify(result)) as unknown,
    (error: Error) => Object.assign({}, error, { message: error.message, class: error.constructor.name }),
  );
