/** The compatible layer around real clients of a real Redis. */
import { ChaosController, configureChaosLogger, createConsoleLogger, wrapRedisWithChaos } from '@toolquake/sdk/compat';
import { interceptRedis } from '@toolquake/sdk/interceptors';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { deadPort } from '../../tcp/harness.js';
import { folderFor, startServer } from '../dependency.js';

let port = 0;
let stop = async (): Promise<void> => {};
const folder = folderFor({});

beforeAll(async () => {
  vi.stubEnv('CHAOS_ENABLED', 'true');
  vi.stubEnv('NODE_ENV', 'test');
  const quiet = (): void => {};
  configureChaosLogger(() => ({ debug: quiet, info: quiet, warn: quiet, error: quiet }));
  port = await deadPort();
  const settings = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder.path, '--save', '', '--appendonly', 'no'];
  stop = await startServer(['redis-server', ...settings], port);
});
afterEach(() => ChaosController.reset());
afterAll(async () => {
  configureChaosLogger(createConsoleLogger);
  vi.unstubAllEnvs();
  await stop();
  folder.remove();
});

test('ioredis: commands fail and recover, callbacks are called, pipelines go on, and the undo leaves nothing', async () => {
  const client = new Redis(port, '127.0.0.1');
  const unwrap = wrapRedisWithChaos(client, 'cache');
  const controller = ChaosController.getInstance();
  expect(await client.set('city', 'NYC')).toBe('OK');
  const id = controller.inject('cache', { type: 'error', statusCode: 500, message: 'crashed' });
  await expect(client.get('city')).rejects.toThrow('Chaos Redis error: crashed');
  const told = await new Promise((resolve) => void client.get('city', (error) => resolve(error?.message)));
  expect(told).toBe('Chaos Redis error: crashed');
  expect(await client.pipeline().get('city').exec()).toEqual([[null, 'NYC']]);
  controller.clear(id);
  controller.inject('cache', { type: 'latency', delayMs: 1 });
  expect(await client.mget('city', 'none')).toEqual(['NYC', null]);
  expect(await new Promise((resolve) => void client.get('city', (_error, value) => resolve(value)))).toBe('NYC');
  unwrap();
  expect(Object.hasOwn(client, 'get')).toBe(false);
  client.disconnect();
});

test('node-redis: the commands that it calls alike', async () => {
  const client = createClient({ url: `redis://127.0.0.1:${port}` });
  await client.connect();
  const unwrap = wrapRedisWithChaos(client);
  ChaosController.getInstance().inject('redis', { type: 'connection-refused' });
  await expect(client.get('city')).rejects.toThrow('Redis connection refused (chaos)');
  unwrap();
  expect(await client.set('city', 'Rome')).toBe('OK');
  await client.close();
});

test('pipelines meet the same faults through a native interceptor on the run of the controller', async () => {
  const client = new Redis(port, '127.0.0.1', { maxRetriesPerRequest: 0, retryStrategy: null });
  client.on('error', () => {});
  const controller = ChaosController.getInstance();
  interceptRedis(controller.run, client, { target: 'cache' });
  expect(await client.pipeline().ping().exec()).toEqual([[null, 'PONG']]);
  const id = controller.inject('cache', { type: 'connection-drop' });
  const outcome = await client
    .pipeline()
    .ping()
    .exec()
    .catch((error: unknown) => [[error]]);
  expect(outcome?.[0]?.[0]).toBeInstanceOf(Error);
  expect(controller.getActiveFaults()).toEqual([{ id, target: 'cache', type: 'connection-drop', requestCount: 1 }]);
  client.disconnect();
});
