/** What a client of a real PostgreSQL meets under the rules of a run. */
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptPostgres } from '@toolquake/sdk/interceptors';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres, type Postgres } from './start-postgres.js';

let database: Postgres | undefined;
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

const where = (): pg.ClientConfig => ({ host: '127.0.0.1', port: database!.port, user: 'tester', database: 'postgres' });

async function connected(settings: pg.ClientConfig = {}): Promise<pg.Client> {
  const client = new pg.Client({ ...where(), ...settings });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

function openPool(settings: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ ...where(), max: 4, ...settings });
  pool.on('error', () => {});
  onTestFinished(async () => {
    if (!pool.ending) await pool.end();
  });
  return pool;
}

function runWith(...rules: readonly object[]): Run {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
  onTestFinished(() => run.stop());
  return run;
}

async function shaken(rules: readonly object[], settings: pg.ClientConfig = {}): Promise<{ client: pg.Client; run: Run }> {
  const client = await connected(settings);
  const run = runWith(...rules);
  interceptPostgres(run, client, { target: 'shop' });
  return { client, run };
}

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no error',
    (error: unknown) => error,
  );

const SELECT = 'SELECT id, name FROM items WHERE id < 3 ORDER BY id';
const ROWS = [
  { id: 1, name: 'chair' },
  { id: 2, name: 'table' },
];

describe('every form of a statement meets the rules', () => {
  const forms: [string, (client: pg.Client) => Promise<unknown>][] = [
    ['a text', (client) => client.query(SELECT)],
    ['values', (client) => client.query('SELECT id FROM items WHERE id = $1', [1])],
    ['an object', (client) => client.query({ text: 'SELECT $1::int AS n', values: [7], rowMode: 'array' })],
    ['a prepared statement', (client) => client.query({ name: 'by-id', text: 'SELECT name FROM items WHERE id = $1', values: [2] })],
    ['several statements', (client) => client.query('SELECT 1 AS a; SELECT 2 AS b')],
    ['nothing', (client) => client.query('')],
    [
      'a callback',
      (client) => new Promise((resolve, reject) => client.query(SELECT, (error, result) => (error ? reject(error) : resolve(result)))),
    ],
    [
      'values and a callback',
      (client) =>
        new Promise((resolve, reject) =>
          client.query('SELECT $1::text AS t', ['x'], (error, result) => (error ? reject(error) : resolve(result))),
        ),
    ],
    ['a mistake', (client) => client.query('SELECT nonsense')],
    [
      'a mistake in a prepared statement',
      (client) => client.query({ name: 'bad', text: 'SELECT nonsense FROM items WHERE id = $1', values: [1] }),
    ],
    ['a write', (client) => client.query('INSERT INTO writes VALUES (1)')],
  ];
  /** A result without what its methods hold, or an error with all that it says. */
  const said = (promise: Promise<unknown>): Promise<unknown> =>
    promise.then(
      (result) => JSON.parse(JSON.stringify(result)) as unknown,
      (error: Error) => ({ ...error, message: error.message, class: error.constructor.name }),
    );

  test.each(forms)('%s: late and otherwise unchanged, then refused, then as ever', async (_, ask) => {
    const bare = await connected();
    const expected = [await said(ask(bare)), await said(ask(bare))];
    const { client, run } = await shaken([{ id: 'slow', fault: 'latency', params: { addedMs: 5 } }]);
    expect([await said(ask(client)), await said(ask(client))]).toEqual(expected);
    expect(run.fired('slow')).toBe(2);
    const undo = run.use({ id: 'no', fault: 'error-response', params: { message: '40P01' } });
    await expect(ask(client)).rejects.toMatchObject({ code: '40P01', message: 'deadlock detected' });
    undo();
    expect(await said(ask(client))).toEqual(expected[1]);
  });

  test('one that was refused before the server heard of its name can be prepared afterwards', async () => {
    const { client } = await shaken([{ fault: 'error-response', params: { message: '40001' }, at: { nth: 1 } }]);
    const ask = (): Promise<pg.QueryResult> => client.query({ name: 'first', text: 'SELECT $1::int AS n', values: [1] });
    await expect(ask()).rejects.toMatchObject({ code: '40001' });
    expect((await ask()).rows).toEqual([{ n: 1 }]);
    expect((await ask()).rows).toEqual([{ n: 1 }]);
  });

  test('through a pool, whose clients of before and after are all looked at', async () => {
    const pool = openPool();
    const before = await pool.connect();
    const run = runWith({ id: 'no', fault: 'error-response', params: { message: '53100' } });
    const undo = interceptPostgres(run, pool, { target: 'shop' });
    const after = await pool.connect();
    for (const ask of [() => before.query('SELECT 1'), () => after.query('SELECT 1'), () => pool.query('SELECT 1')])
      await expect(ask()).rejects.toMatchObject({ code: '53100' });
    expect(run.fired('no')).toBe(3);
    undo();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    before.release();
    after.release();
  });

  test('streams of rows and COPY pass untouched, and cursors are never kept back', async () => {
    const { client, run } = await shaken([{ id: 'no', fault: 'error-response' }]);
    // A statement that is read in portions of two rows, as cursors do.
    const query = new pg.Query({ text: 'SELECT id FROM items ORDER BY id', rows: 2 } as pg.QueryConfig);
    const rows: unknown[] = [];
    query.on('row', (row) => rows.push(row));
    const ended = new Promise((resolve, reject) => query.on('end', resolve).on('error', reject));
    client.query(query);
    await ended;
    expect(rows).toEqual([{ id: 1 }, { id: 2 }, { id: 3 }]);
    await expect(client.query('COPY writes FROM STDIN')).rejects.toThrow('COPY from stdin failed: No source stream defined');
    expect(run.fired('no')).toBe(0);
  });

  test('a query that only emits events is late, too', async () => {
    const { client, run } = await shaken([{ id: 'slow', fault: 'latency', params: { addedMs: 5 } }]);
    const query = client.query(new pg.Query(SELECT));
    const rows: unknown[] = [];
    await new Promise((resolve, reject) =>
      query
        .on('row', (row) => rows.push(row))
        .on('end', resolve)
        .on('error', reject),
    );
    expect([rows, run.fired('slow')]).toEqual([ROWS, 1]);
  });
});

describe('rules choose', () => {
  test.each([
    [{ tool: 'select' }, 1],
    [{ tool: ['insert', 'UPDATE'] }, 0],
    [{ args: { values: [2] } }, 1],
    [{ args: { values: [3] } }, 0],
    [{ args: { text: 'SELECT name FROM items WHERE id = $1' } }, 1],
    [{ target: 'shop' }, 1],
    [{ target: 'other' }, 0],
  ])('%j fires %i times', async (when, times) => {
    const { client, run } = await shaken([{ id: 'slow', fault: 'latency', params: { addedMs: 1 }, when }]);
    await client.query('/* which */ SELECT name FROM items WHERE id = $1'.slice('/* which */ '.length), [2]);
    expect(run.fired('slow')).toBe(times);
  });
});

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

  async function realShutdown(): Promise<unknown> {
    const [victim, killer] = [await connected(), await connected()];
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
      const ended = new Promise((resolve) => client.on('end', resolve));
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

describe('what the server did, and what the caller hears', () => {
  const count = async (): Promise<number> =>
    (await (await connected()).query<{ n: number }>('SELECT count(*)::int AS n FROM writes')).rows[0]!.n;

  test('an answer is lost after the work was done, or the work was never done', async () => {
    const before = await count();
    const lost = await shaken([{ fault: 'lost-ack', params: { mode: 'reset' } }]);
    await expect(lost.client.query('INSERT INTO writes VALUES (1)')).rejects.toMatchObject({ code: 'ECONNRESET' });
    expect(await count()).toBe(before + 1);
    const refused = await shaken([{ fault: 'error-response', params: { message: '57014' } }]);
    await expect(refused.client.query('INSERT INTO writes VALUES (1)')).rejects.toMatchObject({ code: '57014' });
    expect(await count()).toBe(before + 1);
    const noop = await shaken([{ fault: 'silent-noop' }]);
    expect(await noop.client.query('INSERT INTO writes VALUES (1)')).toMatchObject({ command: 'INSERT', rowCount: 1 });
    expect(await noop.client.query({ name: 'w', text: 'INSERT INTO writes VALUES ($1)', values: [1] })).toMatchObject({ rowCount: 1 });
    expect(await count()).toBe(before + 1);
    const double = await shaken([{ fault: 'double-execute' }]);
    for (const query of ['INSERT INTO writes VALUES (1)', { name: 'w', text: 'INSERT INTO writes VALUES ($1)', values: [1] }])
      expect(await double.client.query(query)).toMatchObject({ command: 'INSERT', rowCount: 1 });
    expect((await double.client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await count()).toBe(before + 5);
  });

  test('a failure in a transaction takes the transaction with it, on the server, too', async () => {
    const before = await count();
    const { client } = await shaken([{ fault: 'error-response', params: { message: '40P01' }, when: { tool: 'UPDATE' } }]);
    await client.query('BEGIN');
    await client.query('INSERT INTO writes VALUES (1)');
    await expect(client.query('UPDATE items SET name = name')).rejects.toMatchObject({ code: '40P01' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
    expect(await client.query('COMMIT')).toMatchObject({ command: 'ROLLBACK' });
    expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await count()).toBe(before);
  });

  test('a COMMIT that fails has rolled back; one whose answer is lost has not', async () => {
    const before = await count();
    const work = async (client: pg.Client): Promise<unknown> => {
      await client.query('BEGIN');
      await client.query('INSERT INTO writes VALUES (1)');
      return client.query('COMMIT');
    };
    const failing = await shaken([{ fault: 'error-response', params: { message: '40001' }, when: { tool: 'COMMIT' } }]);
    await expect(work(failing.client)).rejects.toMatchObject({ code: '40001' });
    expect((await failing.client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    expect(await count()).toBe(before);
    const lost = await shaken([{ fault: 'lost-ack', params: { mode: 'reset' }, when: { tool: 'COMMIT' } }]);
    await expect(work(lost.client)).rejects.toMatchObject({ code: 'ECONNRESET' });
    await vi.waitFor(async () => expect(await count()).toBe(before + 1));
  });

  test('rows are left out, come from before, or are not what they were', async () => {
    const empty = await shaken([{ fault: 'empty-result' }]);
    expect(await empty.client.query(SELECT)).toMatchObject({ rows: [], rowCount: 0, fields: [{ name: 'id' }, { name: 'name' }] });
    const partial = await shaken([{ fault: 'partial-result', params: { keepItems: 1 } }]);
    expect(await partial.client.query(SELECT, [])).toMatchObject({ rows: [ROWS[0]], rowCount: 1 });
    const stale = await shaken([{ fault: 'stale-result' }]);
    const ask = (id: number): Promise<pg.QueryResult> => stale.client.query('SELECT name FROM items WHERE id = $1', [id]);
    expect([(await ask(1)).rows, (await ask(2)).rows]).toEqual([[{ name: 'chair' }], [{ name: 'chair' }]]);
    const wrong = await shaken([{ id: 'wrong', fault: 'wrong-value' }]);
    const { rows } = await wrong.client.query<object>('SELECT id, is_sold, price FROM items WHERE id = 1');
    expect(rows).toHaveLength(1);
    expect(rows).not.toEqual([{ id: 1, is_sold: true, price: '10.50' }]);
    expect(wrong.run.fired('wrong')).toBe(1);
    const drift = await shaken([{ id: 'drift', fault: 'schema-drift' }]);
    const drifted = await drift.client.query<object>(SELECT);
    expect(drifted.rows).not.toEqual(ROWS);
    expect(drift.run.fired('drift')).toBe(1);
  });

  test('a server that crashes takes all connections with it, and is down for a while', async () => {
    const pool = openPool();
    const [idle, busy] = [await pool.connect(), await pool.connect()];
    const errors: string[] = [];
    for (const client of [idle, busy]) client.on('error', (error) => errors.push(error.message));
    const run = runWith({ id: 'crash', fault: 'crash', params: { downMs: 60_000 }, at: { nth: 1 } });
    interceptPostgres(run, pool, { target: 'shop' });
    await expect(busy.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNRESET' });
    await vi.waitFor(() => expect(errors.filter((message) => message === 'read ECONNRESET')).toHaveLength(2));
    await expect(pool.query('SELECT 1')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
    run.kill();
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
    for (const client of [idle, busy]) client.release(true);
  });
});
