/** Errors under the rules of a run, next to the same errors provoked on a real server. */
import { interceptPostgres } from '@toolquake/sdk/interceptors';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { connected, failureOf, openPool, openShop, runWith, shaken, where } from './shop.js';
import { startPostgres } from './start-postgres.js';

openShop();

describe('errors are those of the real thing', () => {
  /** Everything that can be said of an error, apart from where it was made and which process it was about. */
  const shape = (error: unknown): unknown => {
    const { constructor, message, name, ...rest } = error as Error;
    const { code, errno, syscall, severity, address, port } = { ...(error as object), ...rest } as Record<string, unknown>;
    return {
      class: constructor.name,
      constructor,
      message,
      name,
      code,
      errno,
      syscall,
      severity,
      address,
      port,
      keys: Object.keys(error as object).toSorted(),
    };
  };

  /** Two transactions that wait for each other: the server ends one of them. */
  async function realDeadlock(): Promise<unknown> {
    const [a, b] = [await connected(), await connected()];
    for (const [client, id] of [
      [a, 1],
      [b, 2],
    ] as const) {
      await client.query('BEGIN');
      await client.query('UPDATE items SET name = name WHERE id = $1', [id]);
    }
    const [first, second] = await Promise.all([
      failureOf(a.query('UPDATE items SET name = name WHERE id = 2')),
      failureOf(b.query('UPDATE items SET name = name WHERE id = 1')),
    ]);
    for (const client of [a, b]) await client.query('ROLLBACK');
    return first === 'no error' ? second : first;
  }

  async function realSerializationFailure(): Promise<unknown> {
    const [a, b] = [await connected(), await connected()];
    await a.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await a.query('SELECT * FROM items');
    await b.query('UPDATE items SET name = name WHERE id = 1');
    const error = await failureOf(a.query('UPDATE items SET name = name WHERE id = 1'));
    await a.query('ROLLBACK');
    return error;
  }

  const realShutdown = async (): Promise<unknown> => shutDown(await connected());

  async function shutDown(victim: pg.Client): Promise<unknown> {
    const killer = await connected();
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const error = failureOf(victim.query('SELECT pg_sleep(30)'));
    await vi.waitFor(async () => {
      const { rows: busy } = await killer.query("SELECT 1 FROM pg_stat_activity WHERE pid = $1 AND wait_event = 'PgSleep'", [rows[0]!.pid]);
      expect(busy).toHaveLength(1);
    });
    await killer.query('SELECT pg_terminate_backend($1)', [rows[0]!.pid]);
    return error;
  }

  async function realTimeout(): Promise<unknown> {
    const client = await connected();
    await client.query('SET statement_timeout = 10');
    return failureOf(client.query('SELECT pg_sleep(30)'));
  }

  test.each([
    ['40P01', realDeadlock],
    ['40001', realSerializationFailure],
    ['57P01', realShutdown],
    ['57014', realTimeout],
  ])('%s', async (code, provoke) => {
    const real = shape(await provoke());
    const { client, run } = await shaken([{ id: 'no', fault: 'error-response', params: { message: code }, when: { tool: 'UPDATE' } }]);
    const injected = shape(await failureOf(client.query('UPDATE items SET name = name WHERE id = 1')));
    expect(injected).toEqual(real);
    expect(run.fired('no')).toBe(1);
  });

  test('an end that the server itself makes of a statement under a rule is heard as ever', async () => {
    const { client, run } = await shaken([{ id: 'slow', fault: 'latency', params: { addedMs: 1 } }]);
    expect(shape(await shutDown(client))).toEqual(shape(await realShutdown()));
    // The pid was late; the other answer never came.
    expect(run.fired('slow')).toBe(1);
  });

  test('too many clients, as a pool says it', async () => {
    const small = await startPostgres({ max_connections: 5, superuser_reserved_connections: 0 });
    const full = new pg.Pool({ ...where(), port: small.port, max: 20 });
    full.on('error', () => {});
    const results = await Promise.allSettled(Array.from({ length: 12 }, () => full.query('SELECT pg_sleep(0.3)')));
    const real = results.find((result) => result.status === 'rejected')?.reason as unknown;
    await full.end();
    await small.stop();
    const pool = openPool();
    interceptPostgres(runWith({ fault: 'error-response', params: { message: '53300' } }), pool);
    expect(shape(await failureOf(pool.query('SELECT 1')))).toEqual(shape(real));
  });

  test('a connection that nobody takes, from a client and from a pool', async () => {
    const closed = await startPostgres();
    await closed.stop();
    const real = shape(await failureOf(new pg.Client({ ...where(), port: closed.port }).connect()));
    for (const open of [
      (): Promise<unknown> => {
        const client = new pg.Client({ ...where(), port: closed.port });
        interceptPostgres(runWith({ fault: 'connection-refused' }), client);
        return client.connect();
      },
      (): Promise<unknown> => {
        const pool = openPool({ port: closed.port });
        interceptPostgres(runWith({ fault: 'connection-refused' }), pool);
        return pool.query('SELECT 1');
      },
    ])
      expect(shape(await failureOf(open()))).toEqual(real);
  });

  test('a connection that ends in the middle: the statement fails, the client says so, and is of no more use', async () => {
    const observe = async (client: pg.Client, breakIt: (client: pg.Client) => Promise<unknown>): Promise<unknown[]> => {
      const seen: unknown[] = [];
      client.on('error', (error) => seen.push(shape(error)));
      const ended = new Promise<void>((resolve) => void client.on('end', () => resolve()));
      seen.push(shape(await failureOf(breakIt(client))));
      await ended;
      seen.push(shape(await failureOf(client.query('SELECT 1'))));
      return seen;
    };
    const real = await observe(await connected(), (client) => {
      const error = client.query('SELECT pg_sleep(30)');
      // The other side of the socket is gone, in good order.
      (client as unknown as { connection: { stream: { end(): void; destroy(): void } } }).connection.stream.destroy();
      return error;
    });
    const { client, run } = await shaken([{ id: 'cut', fault: 'connection-drop', params: { how: 'end' } }]);
    expect(await observe(client, (one) => one.query('SELECT 1'))).toEqual(real);
    expect(run.fired('cut')).toBe(1);
    const reset = await shaken([{ fault: 'connection-drop' }]);
    await expect(reset.client.query('SELECT 1')).rejects.toMatchObject({
      code: 'ECONNRESET',
      errno: -104,
      syscall: 'read',
      message: 'read ECONNRESET',
    });
  });

  test('a statement that nobody answers in time: the read timeout of the client', async () => {
    const bare = await connected({ query_timeout: 50 });
    const real = shape(await failureOf(bare.query('SELECT pg_sleep(0.3)')));
    const { client } = await shaken([{ fault: 'hang' }], { query_timeout: 50 });
    expect(shape(await failureOf(client.query('SELECT 1')))).toEqual(real);
    expect(real).toMatchObject({ message: 'Query read timeout' });
  });

  test('a pool whose only client hangs: its own timeout', async () => {
    const failure = async (busy: (pool: pg.Pool) => Promise<unknown>): Promise<unknown> => {
      const pool = openPool({ max: 1 });
      await pool.query('SELECT 1');
      const held = failureOf(busy(pool));
      pool.options.connectionTimeoutMillis = 50;
      const error = shape(await failureOf(pool.query('SELECT 1')));
      void held;
      return error;
    };
    const real = await failure((pool) => pool.query('SELECT pg_sleep(0.3)'));
    const run = runWith({ fault: 'lost-ack' });
    const hanging = failure((pool) => {
      interceptPostgres(run, pool);
      return pool.query('SELECT 1');
    });
    expect(await hanging).toEqual(real);
    expect(real).toMatchObject({ message: 'timeout exceeded when trying to connect' });
    // Before the pool can end, what hangs goes on.
    run.stop();
  });
});
