/** A real PostgreSQL with its own client, behind `toolquake proxy tcp`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { behindProxy } from '../../tcp/behind-proxy.js';
import { ask, startPostgres, type Postgres } from './start-postgres.js';

let database: Postgres | undefined;
let databasePort = 0;

beforeAll(async () => {
  database = await startPostgres();
  databasePort = database.port;
});
afterAll(() => database?.stop());

const LARGE = "SELECT string_agg(md5(number::text), '') FROM generate_series(1, 20000) AS numbers(number);";

test('passes a whole conversation byte for byte, with a plan that fires on nothing', async () => {
  const script = `CREATE TEMP TABLE t (a int);\nINSERT INTO t SELECT generate_series(1, 1000);\nSELECT * FROM t;\n${LARGE}\nSELECT nonsense;\n`;
  const direct = await ask(databasePort, script);
  const { result } = await behindProxy(databasePort, [{ id: 'never', fault: 'latency', at: { nth: 1000 } }], (port) => ask(port, script));
  expect({ ...result, tookMs: 0 }).toEqual({ ...direct, tookMs: 0 });
  expect(direct.stdout.length).toBeGreaterThan(600_000);
  expect(direct.stderr).toContain('nonsense');
});

test('is slow for a client that waits', async () => {
  const rules = [{ id: 'slow', fault: 'latency', params: { addedMs: 400 } }];
  const { result } = await behindProxy(databasePort, rules, (port) => ask(port, 'SELECT 6 * 7;'));
  expect([result.stdout, result.code]).toEqual(['42\n', 0]);
  // Once for the greeting, once for the answer.
  expect(result.tookMs).toBeGreaterThanOrEqual(800);
});

test('breaks in the middle of an answer, and the client says so', async () => {
  const rules = [{ id: 'cut', fault: 'connection-drop', phase: 'post', params: { afterBytes: 100_000 } }];
  const { result, said } = await behindProxy(databasePort, rules, (port) => ask(port, LARGE));
  expect(result.code).not.toBe(0);
  expect(result.stderr).toMatch(/could not receive data from server|connection to server was lost|server closed the connection/);
  expect(said).toContain('fired 1x');
});

test('falls silent: a client with patience of its own gives up, a later one is served', async () => {
  const rules = [{ id: 'hole', fault: 'blackhole', at: { nth: 1 }, params: { forMs: 60_000 } }];
  const { result } = await behindProxy(databasePort, rules, async (port) => [
    await ask(port, 'SELECT 1;', 2),
    await ask(port, 'SELECT 2;'),
  ]);
  expect(result[0]!.code).not.toBe(0);
  expect(result[1]!.stdout).toBe('2\n');
});

test('is down for new clients', async () => {
  const rules = [{ id: 'down', fault: 'connection-refused', params: { forMs: 60_000 } }];
  const { result } = await behindProxy(databasePort, rules, (port) => ask(port, 'SELECT 1;'));
  expect([result.code, result.stdout]).toEqual([2, '']);
});
