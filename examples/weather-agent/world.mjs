// Everything of the story for one scenario: real HTTP, real MCP, real Redis. Five places in it are under the rules of a run.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { startPlan } from '@toolquake/sdk/controller';
import { interceptFetch, interceptNodeAuth, interceptRedis, interceptTransport } from '@toolquake/sdk/interceptors';
import { watchRetryAfter } from '@toolquake/sdk/resilience';
import { Redis } from 'ioredis';
import { createAgent } from './agent.mjs';
import { createForecastCache } from './forecast-cache.mjs';
import { createResilientWeather } from './resilient-weather.mjs';
import { startService } from './service.mjs';
import { createStoryClock } from './story-clock.mjs';
import { startWeatherServer } from './weather-server.mjs';

const MINUTE_MS = 60_000;
const FRESH_MS = 10 * MINUTE_MS;

/** Opens a world, and everything that is needed to look at it. */
export async function openWorld(redisPort) {
  const clock = createStoryClock();
  const run = startPlan({ version: 1, seed: 42, rules: [] });

  const weather = await startWeatherServer({ gate: interceptNodeAuth(run, { target: 'weather-token' }).handle });
  const watch = watchRetryAfter(interceptFetch(run, { fetch, target: 'weather-http' }).fetch, { clock });
  let token = weather.issueToken();
  const authProvider = {
    token: async () => token,
    onUnauthorized: async () => {
      token = weather.issueToken();
    },
  };
  const wire = new StreamableHTTPClientTransport(weather.url, { fetch: watch.fetch, authProvider });
  const client = new Client({ name: 'agent', version: '1.0.0' });
  await client.connect(interceptTransport(run, wire, { target: 'weather-mcp' }).transport);
  await client.listTools(); // so that the client knows what results must look like

  const redis = new Redis({
    port: redisPort,
    host: '127.0.0.1',
    maxRetriesPerRequest: 0,
    enableOfflineQueue: false,
    retryStrategy: () => 20,
  });
  redis.on('error', () => {}); // the cache counts what its commands say
  interceptRedis(run, redis, { target: 'cache' });
  const isRedisReady = () => redis.status === 'ready' || new Promise((resolve) => redis.once('ready', resolve));
  await isRedisReady();
  await redis.flushall();

  const cache = createForecastCache({
    clock,
    patienceMs: 300,
    freshMs: FRESH_MS,
    redis: {
      get: (...given) => clock.during(redis.get(...given)),
      set: (...given) => clock.during(redis.set(...given)),
      ping: () => clock.during(redis.ping()),
    },
  });
  const tools = createResilientWeather({
    clock,
    retryAfterMs: watch.leftMs,
    // The signal is the deadline: the client needs no timer of its own.
    callTool: (call, { signal }) => clock.during(client.callTool(call, { signal })),
  });
  const agent = createAgent({ tools, cache, clock });
  const service = await startService({ agent, gate: interceptNodeAuth(run, { target: 'user-token' }).handle });

  /** A user's request: what they see, and how long it took them by the clock of the story. */
  async function ask(method, path, { headers = {}, body } = {}) {
    const startedMs = clock.nowMs();
    const response = await fetch(service.url + path, {
      method,
      headers: { authorization: 'Bearer user', 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, headers: response.headers, body: await response.json(), tookMs: clock.nowMs() - startedMs };
  }

  const world = {
    clock,
    run,
    redis,
    cache,
    tools,
    books: weather.books,
    get: (path, headers) => ask('GET', path, { headers }),
    post: (path, body, key) => ask('POST', path, { body, headers: { 'idempotency-key': key } }),
    /** The steady state: a live and whole answer, and a service that says it is ready. Leaves a forecast that is two hours old. */
    async isWell() {
      await isRedisReady();
      clock.pass(FRESH_MS + 1);
      const { status, body } = await world.get('/weather/Oslo');
      assert.deepEqual([status, body.state, body.source, body.forecast?.temperatureC], [200, 'complete', 'live', -3]);
      assert.deepEqual(body.warnings, ['ice on roads']);
      const ready = await world.get('/ready');
      assert.deepEqual([ready.status, ready.body], [200, { ready: true, weather: 'ok', cache: 'ok' }]);
      clock.pass(120 * MINUTE_MS);
    },
    /** How often a tool really ran since the books were opened. */
    ran: (tool) => weather.books.calls[tool] ?? 0,
    openBooks() {
      weather.books.calls = {};
      cache.failures.length = 0;
    },
    async close() {
      run.stop();
      redis.disconnect();
      await client.close();
      await service.stop();
      await weather.stop();
    },
  };
  return world;
}
