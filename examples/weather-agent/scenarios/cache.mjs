// Redis is slow, full, gone or wrong. Nobody who asks for the weather should notice.
import assert from 'node:assert/strict';
import { whole } from './weather-down.mjs';

const command = (tool) => ({ target: 'cache', tool });
const oslo = (world) => world.get('/weather/Oslo');
const missed =
  (pattern) =>
  (_, { cache }) =>
    assert.match(cache.failures.join('; '), pattern);

export const cacheFaults = [
  {
    name: 'Redis dies',
    rules: [{ fault: 'crash', params: { downMs: 60_000 }, when: { target: 'cache' } }],
    act: oslo,
    promises: {
      'a live answer all the same': whole,
      'ready, and honest about its cache': async (_, { get }) => {
        const { status, body } = await get('/ready');
        assert.deepEqual([status, body], [200, { ready: true, weather: 'ok', cache: 'down' }]);
      },
    },
    recovery({ run }) {
      // A crash outlasts its rule, as crashes do; this ends whatever lasts.
      run.kill();
      run.revive();
    },
  },
  {
    name: 'Redis hangs',
    rules: [{ fault: 'hang', when: command('GET') }],
    stalls: true,
    act: oslo,
    promises: {
      'a live answer all the same': whole,
      'nobody waits longer than 300 ms for a cache': ({ tookMs }) => assert.equal(tookMs, 300),
      'a miss, and counted': missed(/^late$/),
    },
  },
  {
    name: 'Redis breaks off in the middle of a read',
    rules: [{ fault: 'connection-drop', when: command('GET'), at: { first: 1 } }],
    act: oslo,
    promises: { 'a live answer all the same': whole, 'a miss, and counted': missed(/./) },
  },
  {
    name: 'Redis is full',
    rules: [
      { fault: 'error-response', params: { message: "OOM command not allowed when used memory > 'maxmemory'." }, when: command('SET') },
    ],
    act: oslo,
    promises: {
      'a live answer all the same': whole,
      'counted, in the words of Redis': missed(/^OOM command not allowed/),
      'nothing new was kept': async (_, { cache }) => assert.equal((await cache.read('Oslo')).isFresh, false),
    },
  },
  {
    name: 'half an entry in Redis',
    rules: [{ fault: 'truncate-text', when: command('GET') }],
    act: oslo,
    promises: { 'a live answer all the same': whole, 'rubbish is a miss, and counted': missed(/^rubbish$/) },
  },
  {
    name: 'Redis gives the forecast of another city',
    rules: [{ fault: 'stale-result', when: command('GET') }],
    async before(world) {
      await world.get('/weather/Rome');
    },
    // The reply to the first is given again to the second.
    act: async (world) => [await world.get('/weather/Rome'), await oslo(world)],
    promises: {
      'everybody gets their own city': (replies) =>
        assert.deepEqual(
          replies.map(({ body }) => body.forecast.city),
          ['Rome', 'Oslo'],
        ),
      'rubbish is a miss, and counted': missed(/^rubbish$/),
    },
  },
  {
    name: 'Redis and the weather service are gone',
    rules: [
      { fault: 'hang', when: command('GET') },
      { fault: 'http-status', params: { status: 503 }, when: { target: 'weather-http', tool: 'get_forecast' } },
    ],
    stalls: true,
    act: oslo,
    promises: {
      'says that it cannot answer, and when to come back': ({ status, headers }) =>
        assert.deepEqual([status, headers.get('retry-after')], [503, '30']),
      'within the deadline': ({ tookMs }) => assert.ok(tookMs <= 5000, `${tookMs} ms`),
    },
  },
];
