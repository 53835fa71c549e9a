/** A real Redis with its own client, behind `toolquake proxy tcp`. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { folderFor, run, startServer, type Ran } from '../dependency.js';
import { behindProxy } from '../../tcp/behind-proxy.js';
import { deadPort } from '../../tcp/harness.js';

let redisPort = 0;
let stop = async (): Promise<void> => {};
const folder = folderFor({});

beforeAll(async () => {
  redisPort = await deadPort();
  const settings = ['--port', String(redisPort), '--bind', '127.0.0.1', '--dir', folder.path, '--save', '', '--appendonly', 'no'];
  stop = await startServer(['redis-server', ...settings], redisPort);
  await cli(redisPort, ['SET', 'large', 'x'.repeat(100_000)]);
  await cli(redisPort, ['SET', 'greeting', 'hello']);
});
afterAll(async () => {
  await stop();
  folder.remove();
});

const cli = (port: number, words: readonly string[], input?: string): Promise<Ran> =>
  run(['timeout', '10', 'redis-cli', '-h', '127.0.0.1', '-p', String(port), ...words], input === undefined ? {} : { input });

test('passes a whole conversation byte for byte, with a plan that fires on nothing', async () => {
  const script = [
    ...Array.from({ length: 300 }, (_, index) => `LPUSH list ${index}`),
    'LRANGE list 0 -1',
    'GET large',
    'NONSENSE',
    'DEL list',
  ].join('\n');
  const direct = await cli(redisPort, [], script);
  const { result } = await behindProxy(redisPort, [{ id: 'never', fault: 'latency', at: { nth: 1000 } }], (port) => cli(port, [], script));
  expect({ ...result, tookMs: 0 }).toEqual({ ...direct, tookMs: 0 });
  expect(direct.stdout.length).toBeGreaterThan(100_000);
});

test('is slow for a client that waits', async () => {
  const rules = [{ id: 'slow', fault: 'latency', params: { addedMs: 700 } }];
  const { result, said } = await behindProxy(redisPort, rules, (port) => cli(port, ['GET', 'greeting']));
  expect([result.stdout, result.code]).toEqual(['hello\n', 0]);
  expect(result.tookMs).toBeGreaterThanOrEqual(700);
  expect(said).toContain('1 of 1 rules fired');
});

test('breaks in the middle of an answer, and the client says so', async () => {
  const rules = [{ id: 'cut', fault: 'connection-drop', phase: 'post', params: { afterBytes: 50_000 } }];
  const { result, said } = await behindProxy(redisPort, rules, (port) => cli(port, ['GET', 'large']));
  expect(`${result.stdout}${result.stderr}`).toMatch(/Connection reset by peer|Server closed the connection/);
  expect(result.stdout).not.toContain('xxx');
  expect(said).toContain('fired 1x');
});

test('falls silent: a client with patience of its own gives up, a later one is served', async () => {
  const rules = [{ id: 'hole', fault: 'blackhole', at: { nth: 1 }, params: { forMs: 60_000 } }];
  const { result } = await behindProxy(redisPort, rules, async (port) => [
    await run(['timeout', '2', 'redis-cli', '-h', '127.0.0.1', '-p', String(port), 'INCR', 'swallowed']),
    await cli(port, ['GET', 'greeting']),
  ]);
  expect([result[0]!.code, result[0]!.stdout]).toEqual([124, '']);
  expect(result[1]!.stdout).toBe('hello\n');
});

test('is down for new clients', async () => {
  const rules = [{ id: 'down', fault: 'connection-refused', params: { forMs: 60_000 } }];
  const { result } = await behindProxy(redisPort, rules, (port) => cli(port, ['PING']));
  expect(result.code).not.toBe(0);
  expect(result.stdout).not.toContain('PONG');
});
