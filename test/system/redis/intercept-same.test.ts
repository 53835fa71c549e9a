/** `interceptRedis` changes nothing that no rule asks for, and leaves each library its own ways of giving up. */
import fc from 'fast-check';
import { createServer, connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { Redis } from 'ioredis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptRedis } from '@toolquake/sdk/interceptors';
import { LIBRARIES, startRedis, type AnyRedis, type RedisServer } from './clients.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

const start = (rules: readonly object[]): Run => startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });

const key = fc.constantFrom('a', 'b', 'c');
const command = fc.oneof(
  fc.tuple(fc.constantFrom('GET', 'INCR', 'STRLEN', 'DEL', 'TYPE', 'LLEN', 'SMEMBERS'), key),
  fc.tuple(fc.constantFrom('SET', 'APPEND', 'RPUSH', 'SADD'), key, fc.string({ maxLength: 6 })),
  fc.tuple(fc.constant('LRANGE'), key, fc.constant('0'), fc.constant('-1')),
);
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ how: fc.constant('call' as const), commands: fc.tuple(command) }) },
  fc.record({ how: fc.constantFrom('pipeline' as const, 'multi' as const), commands: fc.array(command, { minLength: 1, maxLength: 4 }) }),
);

type Step = { readonly how: 'call' | 'pipeline' | 'multi'; readonly commands: readonly (readonly string[])[] };

/**
 * What a client saw, and the order in which it saw each kind. A batch takes its client longer to unwrap than a command, so
 * which of two kinds comes first depends on how the bytes of both arrived.
 */
async function play(redis: AnyRedis, steps: readonly Step[]): Promise<{ results: readonly unknown[]; order: Record<string, number[]> }> {
  await redis.call('FLUSHALL');
  const results: unknown[] = steps.map(() => undefined);
  const order: Record<string, number[]> = { call: [], pipeline: [], multi: [] };
  const note = (index: number, what: unknown): void => {
    results[index] = what;
    order[steps[index]!.how]!.push(index);
  };
  const said = (error: unknown): string => `${(error as Error).name}: ${(error as Error).message}`;
  await Promise.all(
    steps.map(({ how, commands }, index) =>
      (how === 'call' ? redis.call(commands[0]![0]!, ...commands[0]!.slice(1)) : redis[how](commands)).then(
        (value) => note(index, value),
        (error: unknown) => note(index, said(error)),
      ),
    ),
  );
  return { results, order };
}

describe.each(Object.entries(LIBRARIES))('%s', (_name, open) => {
  test('results and their order are those of a bare client, while no rule matches', { timeout: 120_000 }, async () => {
    const run = start([
      { id: 'never', fault: 'hang', when: { tool: 'GETDEL' } },
      { id: 'placebo', fault: 'latency', when: { target: 'other' } },
    ]);
    const [bare, wrapped] = [await open(server.port), await open(server.port)];
    interceptRedis(run, wrapped.client, { target: 'cache' });
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
          expect(await play(wrapped, steps)).toEqual(await play(bare, steps));
        }),
        { numRuns: 60 },
      );
    } finally {
      run.stop();
      bare.close();
      wrapped.close();
    }
  });

  test('a placebo on everything changes no result', { timeout: 120_000 }, async () => {
    const run = start([{ id: 'placebo', fault: 'do-nothing', phase: 'post' }]);
    const [bare, wrapped] = [await open(server.port), await open(server.port)];
    interceptRedis(run, wrapped.client);
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
          expect((await play(wrapped, steps)).results).toEqual((await play(bare, steps)).results);
        }),
        { numRuns: 40 },
      );
      expect(run.fired('placebo')).toBeGreaterThan(0);
    } finally {
      run.stop();
      bare.close();
      wrapped.close();
    }
  });
});

test('a reset is the error that a socket of Node fails with when its peer resets it', async () => {
  // A relay that resets its client in the middle of a command.
  const sockets: Socket[] = [];
  const relay = createServer((socket) => {
    sockets.push(socket);
    const upstream = connect(server.port, '127.0.0.1');
    upstream.pipe(socket);
    socket.on('data', (bytes) => (String(bytes).includes('doomed') ? socket.resetAndDestroy() : upstream.write(bytes)));
    socket.on('error', () => {});
    socket.on('close', () => upstream.destroy());
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as { port: number };
  const real = await LIBRARIES['node-redis'](port, { retries: false });
  const theirs: unknown = await real.call('GET', 'doomed').catch((error: unknown) => error);
  const run = start([{ fault: 'connection-drop' }]);
  const made = await LIBRARIES['node-redis'](server.port, { retries: false });
  interceptRedis(run, made.client);
  const ours: unknown = await made.call('GET', 'doomed').catch((error: unknown) => error);
  const about = (error: unknown): object => ({
    ...(error as object),
    message: (error as Error).message,
    class: (error as Error).constructor,
  });
  expect(about(ours)).toEqual(about(theirs));
  run.stop();
  relay.close();
  for (const socket of sockets) socket.destroy();
});

describe('ioredis', () => {
  test('its commandTimeout ends what a rule keeps back, before the command and after it', async () => {
    for (const phase of ['pre', 'post']) {
      const run = start([{ id: 'hang', fault: 'hang', phase, when: { tool: 'GET' } }]);
      const redis = new Redis({ port: server.port, host: '127.0.0.1', commandTimeout: 1500 });
      interceptRedis(run, redis);
      await expect(redis.get('a')).rejects.toThrow('Command timed out');
      expect([run.fired('hang'), await redis.ping()]).toEqual([1, 'PONG']);
      run.stop();
      redis.disconnect();
    }
  });

  test('it gives up by its own rule where the server stays down, with its own error', async () => {
    const run = start([{ fault: 'crash', params: { downMs: 60_000 }, when: { tool: 'SET' } }]);
    const redis = new Redis({ port: server.port, host: '127.0.0.1', maxRetriesPerRequest: 1, retryStrategy: () => 1 });
    redis.on('error', () => {});
    interceptRedis(run, redis);
    await redis.ping();
    await expect(redis.set('a', '1')).rejects.toMatchObject({ name: 'MaxRetriesPerRequestError' });
    run.stop();
    await vi.waitFor(async () => expect(await redis.ping()).toBe('PONG'));
    redis.disconnect();
  });

  test('a pipeline that a command was taken from is sent again without it, when the connection came back', async () => {
    const run = start([{ fault: 'error-response', params: { message: 'busy' }, when: { tool: 'INCR' } }]);
    const redis = new Redis({ port: server.port, host: '127.0.0.1', retryStrategy: () => 5 });
    redis.on('error', () => {});
    interceptRedis(run, redis);
    await redis.set('a', '1');
    const result = redis.pipeline().get('a').incr('a').get('a').exec();
    (redis as unknown as { stream: Socket }).stream.destroy();
    // What stood behind the gap is given up by the library, as behind any gap.
    const aborted: unknown = expect.objectContaining({ message: expect.stringContaining('aborted') as unknown });
    expect(await result).toEqual([[null, '1'], [expect.objectContaining({ message: 'ERR busy' })], [aborted]]);
    run.stop();
    redis.disconnect();
  });

  test('transformers, callbacks and automatic pipelines work as ever', async () => {
    const run = start([{ id: 'late', fault: 'latency', params: { addedMs: 1 }, when: { tool: ['HGETALL', 'GET', 'GETBUFFER'] } }]);
    const redis = new Redis({ port: server.port, host: '127.0.0.1', enableAutoPipelining: true });
    interceptRedis(run, redis);
    await redis.hset('hash', { a: '1', b: '2' });
    expect(await redis.hgetall('hash')).toEqual({ a: '1', b: '2' });
    await redis.set('text', 'hello');
    expect(await Promise.all([redis.get('text'), redis.getBuffer('text')])).toEqual(['hello', Buffer.from('hello')]);
    expect(await new Promise((resolve) => void redis.get('text', (_error, value) => resolve(value)))).toBe('hello');
    expect(run.fired('late')).toBeGreaterThanOrEqual(3);
    run.stop();
    redis.disconnect();
  });
});

describe('node-redis', () => {
  const open = async (): Promise<ReturnType<typeof createClient>> => {
    const client = createClient({ socket: { host: '127.0.0.1', port: server.port } });
    client.on('error', () => {});
    await client.connect();
    return client as ReturnType<typeof createClient>;
  };

  test('an aborted command that was not written yet fails with the error of the library', async () => {
    const run = start([{ fault: 'hang', when: { tool: 'GET' } }]);
    const client = await open();
    interceptRedis(run, client);
    const gone = AbortSignal.abort();
    const real: unknown = await client
      .withAbortSignal(gone)
      .set('x', '1')
      .catch((error: unknown) => error);
    const giveUp = new AbortController();
    const made = client
      .withAbortSignal(giveUp.signal)
      .get('a')
      .catch((error: unknown) => error);
    giveUp.abort();
    const error: unknown = await made;
    expect([(error as Error).constructor, (error as Error).message]).toEqual([(real as Error).constructor, (real as Error).message]);
    run.stop();
    client.destroy();
  });

  test('commands with methods of their own and other views of a client are the same commands', async () => {
    const run = start([{ id: 'late', fault: 'latency', params: { addedMs: 1 }, when: { tool: ['HGETALL', 'ZRANGE'] } }]);
    const client = await open();
    interceptRedis(run, client);
    await client.hSet('fields', { a: '1' });
    expect({ ...(await client.hGetAll('fields')) }).toEqual({ a: '1' });
    expect({ ...(await client.withCommandOptions({}).hGetAll('fields')) }).toEqual({ a: '1' });
    expect(run.fired('late')).toBe(2);
    run.stop();
    client.destroy();
  });
});
