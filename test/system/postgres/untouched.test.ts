/** What an interceptor leaves alone: everything that no rule looks at, and everything once it is undone. */
import { startPlan } from '@toolquake/sdk/controller';
import { interceptPostgres, shrinkPool } from '@toolquake/sdk/interceptors';
import fc from 'fast-check';
import pg from 'pg';
import { expect, test } from 'vitest';
import { connected, openPool, openShop, runWith, saidBy, shaken } from './shop.js';

openShop();

const STATEMENTS: Readonly<Record<string, (client: pg.Client, n: number) => Promise<unknown>>> = {
  text: (client) => client.query('SELECT * FROM own ORDER BY id'),
  values: (client, n) => client.query('SELECT $1::int AS n, $2::text AS t', [n, null]),
  named: (client, n) => client.query({ name: 'count', text: 'SELECT count(*) FROM own WHERE id > $1', values: [n] }),
  misnamed: (client) => client.query({ name: 'count', text: 'SELECT 1' }),
  insert: (client, n) => client.query('INSERT INTO own VALUES ($1)', [n]),
  update: (client, n) => client.query(`UPDATE own SET id = id + 1 WHERE id < ${n}`),
  several: (client, n) => client.query(`SELECT ${n} AS n; SELECT 2 AS m`),
  arrays: (client, n) => client.query({ text: 'SELECT $1::int[] AS list', values: [[n, 1]], rowMode: 'array' }),
  begin: (client) => client.query('BEGIN'),
  commit: (client) => client.query('COMMIT'),
  rollback: (client) => client.query('ROLLBACK'),
  mistake: (client) => client.query('SELECT 1 / 0'),
  unreadable: (client, n) => client.query('SELECT $1::int', [`${n}x`]),
  empty: (client) => client.query(''),
  callback: (client, n) =>
    new Promise((resolve, reject) => client.query('SELECT $1::int', [n], (error, result) => (error ? reject(error) : resolve(result)))),
};

const scripts = fc.array(
  fc.record({ what: fc.constantFrom(...Object.keys(STATEMENTS)), n: fc.integer({ min: -5, max: 5 }), isAwaited: fc.boolean() }),
  { maxLength: 25 },
);
type Script = typeof scripts extends fc.Arbitrary<infer Value> ? Value : never;

async function play(client: pg.Client, script: Script): Promise<unknown[]> {
  await client.query('ROLLBACK; DROP TABLE IF EXISTS own; CREATE TEMP TABLE own (id int)');
  const results: Promise<unknown>[] = [];
  for (const { what, n, isAwaited } of script) {
    const result = saidBy(STATEMENTS[what]!(client, n));
    results.push(result);
    if (isAwaited) await result;
  }
  // Each client has a table of its own.
  return JSON.parse(JSON.stringify(await Promise.all(results), (key, value: unknown) => (key === 'tableID' ? 0 : value))) as unknown[];
}

test.each([
  ['no rule matches', [{ fault: 'error-response', when: { tool: 'NEVER' } }]],
  ['there is no rule', []],
  ['what fired does nothing', [{ fault: 'do-nothing' }]],
  ['everything is late by nothing', [{ fault: 'latency', params: { addedMs: 0 } }]],
])('any statements in any order come to the same while %s', async (_, rules) => {
  const [bare, { client }] = [await connected(), await shaken(rules)];
  await fc.assert(
    fc.asyncProperty(scripts, async (script) => {
      expect(await play(client, script)).toEqual(await play(bare, script));
    }),
    { numRuns: 40 },
  );
});

/** All that can be told of an object from outside, and of what it listens to. */
function traces(...owners: readonly object[]): unknown {
  return owners.map((owner) => [
    Reflect.ownKeys(owner).map((key) => [String(key), typeof Object.getOwnPropertyDescriptor(owner, key)?.value]),
    'eventNames' in owner
      ? (owner as pg.Client).eventNames().map((name) => [String(name), (owner as pg.Client).listenerCount(name as 'end')])
      : [],
  ]);
}
const partsOf = (client: pg.Client): object[] => {
  const { connection } = client as unknown as { connection: { stream: object } };
  return [client, connection, connection.stream];
};

test('after the undo nothing is left on clients, connections, sockets and pools', async () => {
  const [client, pool] = [await connected(), openPool()];
  for (const one of [client, pool]) await one.query('SELECT 1');
  const inPool = await pool.connect();
  const all = [...partsOf(client), pool, ...partsOf(inPool as unknown as pg.Client)];
  const before = traces(...all);
  const [plainClient, PoolClient] = [client.query, (pool as unknown as { Client: unknown }).Client];
  for (const end of ['undo', 'stop'] as const) {
    const run = runWith({ fault: 'latency', params: { addedMs: 1 } });
    const undos = [client, pool].map((one) => interceptPostgres(run, one));
    for (const one of [client, inPool]) await one.query('SELECT 1');
    expect(traces(...all)).not.toEqual(before);
    if (end === 'stop') run.stop();
    else for (const undo of [...undos, ...undos]) undo();
    expect(traces(...all)).toEqual(before);
  }
  expect([client.query, (pool as unknown as { Client: unknown }).Client]).toEqual([plainClient, PoolClient]);
  inPool.release();
});

test('what is on its way when it ends still arrives, and what hangs goes on', async () => {
  const { client, run } = await shaken([{ fault: 'hang' }]);
  const answer = client.query('SELECT 1 AS one');
  const next = client.query('SELECT 2 AS two');
  run.stop();
  expect([(await answer).rows, (await next).rows]).toEqual([[{ one: 1 }], [{ two: 2 }]]);
});

test('under a guard nothing is ever looked at', async () => {
  const client = await connected();
  const run = startPlan({ seed: 1, rules: [{ fault: 'hang' }] }, { isAllowed: () => false });
  interceptPostgres(run, client);
  expect((await client.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  run.stop();
});

test('a pool may be shrunk while its clients are shaken', async () => {
  const pool = openPool();
  const run = runWith({ id: 'slow', fault: 'latency', params: { addedMs: 2 } });
  interceptPostgres(run, pool);
  const shrink = shrinkPool(pool, { max: 1, isAllowed: () => true });
  await Promise.all(Array.from({ length: 10 }, () => pool.query('SELECT 1')));
  expect(shrink.undo().waiting).toBe(0);
  expect(run.fired('slow')).toBe(10);
});

test('what is no client that is known here, or is looked at already, is refused', async () => {
  const run = runWith();
  const client = await connected();
  interceptPostgres(run, client);
  expect(() => interceptPostgres(run, client)).toThrow('The PostgreSQL client is not intercepted: it is intercepted already.');
  const pool = openPool();
  interceptPostgres(run, pool);
  expect(() => interceptPostgres(run, pool)).toThrow('it is intercepted already');
  for (const other of [{}, { query() {}, connect() {} }, null])
    expect(() => interceptPostgres(run, other as unknown as pg.Client)).toThrow(expect.objectContaining({ code: 'WRONG_TYPE' }));
  expect(() => interceptPostgres(run, new pg.Client({ pipeline: true } as pg.ClientConfig))).toThrow('it sends statements in a pipeline');
});

test('a pool whose clients are unlike all that are known still works, and the run says so', async () => {
  const pool = openPool();
  const problems: unknown[] = [];
  const run = startPlan({ seed: 1, rules: [{ fault: 'hang' }] }, { isAllowed: () => true, onProblem: (problem) => problems.push(problem) });
  const Plain = (pool as unknown as { Client: typeof pg.Client }).Client;
  // A client that keeps its connection to itself.
  const Private = function (config: pg.ClientConfig): pg.Client {
    const client = new Plain(config);
    const get = (target: pg.Client, key: string | symbol): unknown => {
      const value: unknown = key === 'connection' ? undefined : Reflect.get(target, key, target);
      return typeof value === 'function' ? (value.bind(target) as unknown) : value;
    };
    return new Proxy(client, { get });
  };
  Object.assign(pool, { Client: Private });
  interceptPostgres(run, pool);
  expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  expect(problems).toEqual([expect.objectContaining({ code: 'WRONG_TYPE' })]);
  run.stop();
});

test.each(['rate-limit', 'quota', 'concurrency-limit', 'inject-text', 'truncate-text', 'http-status', 'tool-error', 'rename-tool'])(
  'the fault %s is refused, with the list of those that can be performed',
  async (fault) => {
    const { run } = await shaken([]);
    expect(() => run.use({ fault })).toThrow(
      expect.objectContaining({ code: 'WRONG_CARRIER', advice: expect.stringMatching(/What can: .*latency.*lost-ack/) as string }),
    );
  },
);
