import { expect, test, vi } from 'vitest';
import { freshController } from './fixtures/fresh-controller.js';
import { ChaosController, wrapRedisWithChaos, type FaultConfig } from './index.js';

freshController();

/** Commands on the prototype, as clients have them. */
class Client {
  async get(key: string, callback?: (error: Error | null, value?: string) => void): Promise<string> {
    callback?.(null, key);
    return key;
  }
  async mget(...keys: string[]): Promise<string[]> {
    return keys;
  }
  async ping(): Promise<string> {
    return 'PONG';
  }
}

const inject = (config: FaultConfig): string => ChaosController.getInstance().inject('redis', config);

test.each<[FaultConfig, string]>([
  [{ type: 'error', statusCode: 500 }, 'Chaos Redis error: connection lost'],
  [{ type: 'error', statusCode: 500, message: 'crashed' }, 'Chaos Redis error: crashed'],
  [{ type: 'timeout', hangMs: 1 }, 'Chaos Redis timeout'],
  [{ type: 'connection-refused' }, 'Redis connection refused (chaos)'],
])('%j fails a command with its text, and other commands go on', async (config, message) => {
  const client = new Client();
  const unwrap = wrapRedisWithChaos(client);
  expect(await client.get('a')).toBe('a');
  inject(config);
  await expect(client.mget('a', 'b')).rejects.toThrow(message);
  expect(await client.ping()).toBe('PONG');
  unwrap();
  expect(await client.mget('a', 'b')).toEqual(['a', 'b']);
  expect(Object.keys(client)).toEqual([]);
});

test('latency goes on to the command, and callbacks are called once', async () => {
  const client = new Client();
  wrapRedisWithChaos(client);
  const slow = inject({ type: 'latency', delayMs: 1 });
  const told = vi.fn();
  expect(await client.get('a', told)).toBe('a');
  expect(told.mock.calls).toEqual([[null, 'a']]);
  ChaosController.getInstance().clear(slow);
  inject({ type: 'connection-refused' });
  told.mockClear();
  await client.get('a', told);
  expect(told.mock.calls).toEqual([[expect.objectContaining({ message: 'Redis connection refused (chaos)' })]]);
});

test('wrapped twice under two names, each is undone on its own, in any order', async () => {
  const client = new Client();
  const [first, second] = [wrapRedisWithChaos(client, 'redis'), wrapRedisWithChaos(client, 'cache')];
  inject({ type: 'connection-refused' });
  first();
  expect(await client.get('a')).toBe('a');
  ChaosController.getInstance().inject('cache', { type: 'connection-refused' });
  await expect(client.get('a')).rejects.toThrow('refused');
  second();
  second();
  expect(await client.get('a')).toBe('a');
  expect(Object.keys(client)).toEqual([]);
});

test('a fault that Redis cannot perform is not counted, and does not hide the next one', async () => {
  const client = new Client();
  wrapRedisWithChaos(client);
  inject({ type: 'rate-limit', retryAfterSeconds: 1 });
  expect(await client.get('a')).toBe('a');
  inject({ type: 'connection-refused' });
  await expect(client.get('a')).rejects.toThrow('refused');
  expect(
    ChaosController.getInstance()
      .getActiveFaults()
      .map(({ requestCount }) => requestCount),
  ).toEqual([0, 1]);
});
