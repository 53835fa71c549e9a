/** What a client of a real PostgreSQL meets under the rules of a run. */
import { interceptPostgres } from '@toolquake/sdk/interceptors';
import pg from 'pg';
import { describe, expect, test, vi } from 'vitest';
import { connected, openPool, openShop, runWith, saidBy, shaken } from './shop.js';

openShop();

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

  test.each(forms)('%s: late and otherwise unchanged, then refused, then as ever', async (_, ask) => {
    const bare = await connected();
    const expected = [await saidBy(ask(bare)), await saidBy(ask(bare))];
    const { client, run } = await shaken([{ id: 'slow', fault: 'latency', params: { addedMs: 5 } }]);
    expect([await saidBy(ask(client)), await saidBy(ask(client))]).toEqual(expected);
    expect(run.fired('slow')).toBe(2);
    const undo = run.use({ id: 'no', fault: 'error-response', params: { message: '40P01' } });
    await expect(ask(client)).rejects.toMatchObject({ code: '40P01', message: 'deadlock detected' });
    undo();
    expect(await saidBy(ask(client))).toEqual(expected[1]);
  });

  test('one that was refused before the server heard of its name can be prepared afterwards', async () => {
    const { client } = await shaken([{ fault: 'error-response', params: { message: '40001' }, at: { nth: 1 } }]);
    const ask = (): Promise<pg.QueryResult> => client.query({ name: 'first', text: 'SELECT $1::int AS n', values: [1] });
    await expect(ask()).rejects.toMatchObject({ code: '40001' });
    expect((await ask()).rows).toEqual([{ n: 1 }]);
    expect((await ask()).rows).toEqual([{ n: 1 }]);
  });

  test('one that was executed and then refused is known to the server by its name', async () => {
    const { client } = await shaken([{ fault: 'error-response', phase: 'post', params: { message: '40001' }, at: { nth: 1 } }]);
    const ask = (): Promise<pg.QueryResult> => client.query({ name: 'again', text: 'SELECT $1::int AS n', values: [1] });
    await expect(ask()).rejects.toMatchObject({ code: '40001' });
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
    await client.query('SELECT name FROM items WHERE id = $1', [2]);
    expect(run.fired('slow')).toBe(times);
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

  test('a transaction that began before anybody looked is aborted as well', async () => {
    const client = await connected();
    await client.query('BEGIN');
    interceptPostgres(runWith({ fault: 'error-response', params: { message: '55P03' }, at: { nth: 1 } }), client);
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '55P03' });
    await expect(client.query('SELECT 1')).rejects.toMatchObject({ code: '25P02' });
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
