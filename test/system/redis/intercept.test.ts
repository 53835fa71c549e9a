/** `interceptRedis` against a real Redis: what both libraries promise alike. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startPlan, type Run } from '@toolquake/sdk/controller';
import { interceptRedis } from '@toolquake/sdk/interceptors';
import { deadPort } from '../../tcp/harness.js';
import { LIBRARIES, startRedis, type AnyRedis, type OpenOptions, type RedisServer } from './clients.js';

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** What callers can tell an error by. */
const shape = (error: unknown): object => {
  const { name, message, constructor, code, errno, syscall, command } = error as Error & Record<string, unknown>;
  return { class: constructor, name, message, code, errno, syscall, command };
};
const failure = async (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    (value) => {
      throw new Error(`it succeeded: ${String(value)}`);
    },
    (error: unknown) => error,
  );

describe.each(Object.entries(LIBRARIES))('%s', (_name, open) => {
  let redis: AnyRedis;
  let bare: AnyRedis;
  let run: Run;
  const cleanups: (() => void)[] = [];
  const start = async (rules: readonly object[] = [], options: OpenOptions = {}): Promise<void> => {
    redis = await open(server.port, options);
    cleanups.push(() => redis.close());
    run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
    interceptRedis(run, redis.client, { target: 'cache' });
    cleanups.push(() => run.stop());
  };
  beforeEach(async () => {
    bare = await open(server.port);
    cleanups.push(() => bare.close());
    await bare.call('FLUSHALL');
  });
  afterEach(() => {
    for (const cleanup of cleanups.splice(0).reverse()) cleanup();
  });

  test('an error reply is the error of the library, and nothing was executed', async () => {
    await start([
      { id: 'wrong', fault: 'error-response', when: { tool: 'incr' }, params: { message: 'value is not an integer or out of range' } },
    ]);
    await bare.call('SET', 'text', 'x');
    const real = await failure(bare.call('INCR', 'text'));
    const made = await failure(redis.call('INCR', 'text'));
    expect(shape(made)).toEqual(shape(real));
    await failure(redis.call('INCR', 'count'));
    expect([await bare.call('GET', 'count'), run.fired('wrong')]).toEqual([null, 2]);
  });

  test('a lost connection is lost as a real one, whether the server executed the command or not', async () => {
    for (const how of ['reset', 'end'] as const) {
      for (const phase of ['pre', 'post'] as const) {
        await start([{ id: 'cut', fault: 'connection-drop', phase, when: { tool: 'INCR' }, params: { how }, at: { first: 1 } }], {
          retries: false,
        });
        const made = await failure(redis.call('INCR', `count-${how}-${phase}`));
        expect(await bare.call('GET', `count-${how}-${phase}`)).toBe(phase === 'pre' ? null : '1');
        if (how === 'end') {
          const other = await open(server.port, { retries: false });
          const id = String(await other.call('CLIENT', 'ID'));
          const waiting = failure(other.call('BLPOP', 'never', '0'));
          await vi.waitFor(async () => expect(await bare.call('CLIENT', 'LIST', 'ID', id)).toContain('cmd=blpop'));
          await bare.call('CLIENT', 'KILL', 'ID', id);
          expect(shape(made)).toEqual(shape(await waiting));
          other.close();
        }
        expect(run.fired('cut')).toBe(1);
      }
    }
  });

  test('a connection comes back after it was lost, by the means of the library', async () => {
    await start([{ id: 'cut', fault: 'connection-drop', when: { tool: 'INCR' }, at: { first: 1 } }]);
    const first = await redis.call('INCR', 'count').catch(shape);
    // ioredis sends a command again that it waited for; node-redis fails it, and the next one is served.
    expect(redis.library === 'ioredis' ? first : (first as { code: string }).code).toBe(redis.library === 'ioredis' ? 1 : 'ECONNRESET');
    expect(await redis.call('INCR', 'count')).toBe(redis.library === 'ioredis' ? 2 : 1);
  });

  test('a reply that is lost leaves the command executed', async () => {
    await start([{ id: 'lost', fault: 'lost-ack', when: { tool: 'SET' } }]);
    let isAnswered = false;
    void redis.call('SET', 'order', 'paid').then(() => (isAnswered = true));
    await vi.waitFor(async () => expect(await bare.call('GET', 'order')).toBe('paid'));
    await redis.call('PING');
    expect(isAnswered).toBe(false);
    run.stop();
    await vi.waitFor(() => expect(isAnswered).toBe(true));
  });

  test('a command is executed twice where a rule says so', async () => {
    await start([{ fault: 'double-execute', when: { tool: 'INCR' } }]);
    expect(await redis.call('INCR', 'count')).toBe(1);
    expect(await redis.call('GET', 'count')).toBe('2');
  });

  test('replies are emptied, stale or wrong in the shapes that the library has', async () => {
    await start([
      { id: 'empty', fault: 'empty-result', when: { tool: ['LRANGE', 'HGETALL', 'INCR'] } },
      { id: 'stale', fault: 'stale-result', when: { args: { key: 'stale' }, tool: 'GET' } },
      { id: 'wrong', fault: 'wrong-value', when: { args: { key: 'json' }, tool: 'GET' } },
    ]);
    await bare.call('RPUSH', 'list', 'a', 'b');
    expect(await redis.call('LRANGE', 'list', '0', '-1')).toEqual([]);
    expect(await redis.call('INCR', 'count')).toBeNull();
    for (const value of ['old', 'new']) {
      await bare.call('SET', 'stale', value);
      expect(await redis.call('GET', 'stale')).toBe('old');
    }
    await bare.call('SET', 'json', '{"total":125,"city":"Bern"}');
    const wrong = await redis.call('GET', 'json');
    expect(typeof wrong).toBe('string');
    expect(JSON.parse(wrong as string)).not.toEqual({ total: 125, city: 'Bern' });
    expect(run.fired('wrong')).toBe(1);
  });

  test('pipelines and transactions meet the rules, and those that none looks at are as ever', async () => {
    const commands = [
      ['SET', 'a', '1'],
      ['INCR', 'a'],
      ['GET', 'a'],
    ];
    await start([{ id: 'other', fault: 'hang', when: { tool: 'LPOP' } }]);
    const expected = [await bare.pipeline(commands), await bare.multi(commands)];
    expect([await redis.pipeline(commands), await redis.multi(commands)]).toEqual(expected);
    run.use([{ id: 'slow', fault: 'latency', params: { addedMs: 20 }, when: { tool: ['MULTI', 'PIPELINE', 'INCR'] } }]);
    expect([await redis.pipeline(commands), await redis.multi(commands)]).toEqual(expected);
    expect(run.fired('slow')).toBe(2);
    run.restore();
    run.use([{ id: 'early', fault: 'latency', phase: 'pre', params: { addedMs: 20 }, when: { tool: 'MULTI' } }]);
    expect(await redis.multi(commands)).toEqual(expected[1]);
    run.restore();
    run.use([{ id: 'no', fault: 'error-response', params: { message: 'OOM command not allowed' }, when: { tool: 'MULTI' } }]);
    expect(await failure(redis.multi([['SET', 'a', 'never']]))).toMatchObject({ message: 'OOM command not allowed' });
    expect(await redis.call('GET', 'a')).toBe('2');
    run.restore();
    run.use([{ id: 'doubled', fault: 'double-execute', when: { tool: 'MULTI' } }]);
    await redis.multi([
      ['INCR', 'twice'],
      ['INCR', 'twice'],
    ]);
    expect(await redis.call('GET', 'twice')).toBe('4');
  });

  test('a pipeline goes on without the command that was taken from it', async () => {
    await start([{ fault: 'error-response', params: { message: 'busy' }, when: { tool: ['INCR', 'PIPELINE'] } }]);
    const result = redis.pipeline([
      ['SET', 'a', '1'],
      ['INCR', 'a'],
      ['GET', 'a'],
    ]);
    if (redis.library === 'node-redis') return expect(await failure(result)).toMatchObject({ message: 'ERR busy' });
    expect(await result).toEqual([[null, 'OK'], [expect.objectContaining({ message: 'ERR busy', name: 'ReplyError' })], [null, '1']]);
  });

  test('blocking commands wait, and hang where a rule says so', async () => {
    await start([{ id: 'late', fault: 'latency', params: { addedMs: 5 }, when: { tool: 'BLPOP' } }]);
    const waiting = redis.call('BLPOP', 'queue', '0');
    await bare.call('RPUSH', 'queue', 'job');
    expect(await waiting).toEqual(['queue', 'job']);
    expect(run.fired('late')).toBe(1);
  });

  test('a server that is down takes its connections with it, and refuses new ones as a real one', async () => {
    await start([{ id: 'down', fault: 'crash', params: { downMs: 120 }, when: { tool: 'SET' } }]);
    await redis.call('SET', 'a', '1').catch(() => {});
    await vi.waitFor(() => expect(redis.errors.some((error) => (error as { code?: string }).code === 'ECONNREFUSED')).toBe(true));
    await vi.waitFor(async () => expect(await redis.call('PING')).toBe('PONG'), { timeout: 10_000 });
    const made = redis.errors.find((error) => (error as { code?: string }).code === 'ECONNREFUSED');
    const dead = await deadPort();
    const real = await open(dead, { retries: false }).then(
      () => undefined,
      (error: unknown) => error,
    );
    // ioredis tells its caller of a closed connection; the refusal itself comes as an event.
    if (redis.library === 'node-redis')
      expect(shape(made)).toEqual({ ...shape(real), message: (real as Error).message.replace(String(dead), String(server.port)) });
    expect(made).toMatchObject({ code: 'ECONNREFUSED', syscall: 'connect', address: '127.0.0.1', port: server.port });
  });

  test('duplicates are under the same rules, and their counts are shared', async () => {
    await start([{ id: 'no', fault: 'error-response', when: { tool: 'GET', target: 'cache' }, at: { first: 2 } }]);
    const copy = await redis.duplicate();
    cleanups.push(() => copy.close());
    await failure(redis.call('GET', 'a'));
    await failure(copy.call('GET', 'a'));
    expect([await redis.call('GET', 'a'), await copy.call('GET', 'a'), run.fired('no')]).toEqual([null, null, 2]);
  });

  test('what no client of Redis can show is refused, with what can be shown', async () => {
    await start();
    expect(() => run.use({ fault: 'http-status' })).toThrow(/cannot act on cache: it acts on http, and database carries command/);
    expect(() => interceptRedis(run, {})).toThrow(/no client of ioredis or node-redis/);
  });

  test('nothing of it is left behind', async () => {
    redis = await open(server.port);
    cleanups.push(() => redis.close());
    const look = (): object => ({
      own: Object.entries(Object.getOwnPropertyDescriptors(redis.patched)).filter(([key]) =>
        ['sendCommand', 'duplicate', '_executeMulti', '_executePipeline'].includes(key),
      ),
      keys: Reflect.ownKeys(redis.patched).map(String),
      listeners: (redis.patched as { listenerCount(name: string): number }).listenerCount('connect'),
    });
    const before = look();
    run = startPlan({ rules: [{ fault: 'latency' }] }, { isAllowed: () => true });
    const undo = interceptRedis(run, redis.client);
    expect(look()).not.toEqual(before);
    await redis.call('PING');
    undo();
    expect(look()).toEqual(before);
    expect(await redis.call('PING')).toBe('PONG');
    run.stop();
  });
});
