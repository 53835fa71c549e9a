// The weather service is down, refuses, or breaks off: what HTTP can do to an agent.
import assert from 'node:assert/strict';
import { ATTEMPT_MS } from '../resilient-weather.mjs';

const forecasts = { target: 'weather-http', tool: 'get_forecast' };
const oslo = (world) => world.get('/weather/Oslo');
const rome = (world) => world.get('/weather/Rome');

/** Promises that several scenarios make. */
export const whole = ({ status, body }) => assert.deepEqual([status, body.state, body.source], [200, 'complete', 'live']);
export const staleAndSaysSo = ({ status, body }) => {
  assert.deepEqual([status, body.state, body.source], [200, 'partial', 'cache']);
  assert.equal(body.forecast.temperatureC, -3);
  assert.deepEqual(body.missing, ['a new forecast: this one is 120 minutes old']);
};

export const weatherDown = [
  {
    name: 'two gateway errors in a row',
    rules: [{ fault: 'http-status', params: { status: 503 }, when: forecasts, at: { first: 2 } }],
    act: oslo,
    promises: {
      'the third attempt answers': whole,
      'the first two waited 200 and 400 ms': ({ tookMs }) => assert.equal(tookMs, 600),
      'the tool ran once': (_, { ran }) => assert.equal(ran('get_forecast'), 1),
    },
  },
  {
    name: 'the gateway stays down, and a forecast is known',
    rules: [{ fault: 'http-status', params: { status: 502 }, when: forecasts }],
    act: oslo,
    promises: {
      'an old forecast, and it says so': staleAndSaysSo,
      'three attempts and no more': (_, { run }) => assert.equal(faultsOf(run), 3),
    },
  },
  {
    name: 'the gateway stays down, and nothing is known',
    rules: [{ fault: 'http-status', params: { status: 502 }, when: forecasts }],
    act: rome,
    promises: {
      'says that it cannot answer, and when to come back': ({ status, headers }) =>
        assert.deepEqual([status, headers.get('retry-after')], [503, '30']),
      'invents nothing, and shows no insides': ({ body }) => assert.deepEqual(Object.keys(body), ['state', 'error']),
    },
  },
  {
    name: 'asked to come back in two seconds',
    rules: [{ fault: 'rate-limit', params: { retryAfterSeconds: 2 }, when: forecasts, at: { first: 1 } }],
    act: oslo,
    promises: {
      'comes back, and gets it': whole,
      'not a moment earlier': ({ tookMs }) => assert.equal(tookMs, 2000),
    },
  },
  {
    name: 'asked to come back in an hour',
    rules: [{ fault: 'rate-limit', params: { retryAfterSeconds: 3600 }, when: forecasts }],
    act: async (world) => [await oslo(world), await oslo(world)],
    promises: {
      'an old forecast, and it says so': (replies) => replies.forEach(staleAndSaysSo),
      'at once: the deadline is sooner': (replies) =>
        assert.deepEqual(
          replies.map(({ tookMs }) => tookMs),
          [0, 0],
        ),
      'the server is asked once, and then left alone': (_, { run }) => assert.equal(faultsOf(run), 1),
    },
    recovery: ({ clock }) => clock.pass(3_600_000),
  },
  {
    name: 'the connection breaks before the call',
    rules: [{ fault: 'connection-drop', when: forecasts, at: { first: 1 } }],
    act: oslo,
    promises: { 'the second attempt answers': whole, 'the tool ran once': (_, { ran }) => assert.equal(ran('get_forecast'), 1) },
  },
  {
    name: 'the connection breaks in the middle of the answer',
    rules: [{ fault: 'truncate', params: { how: 'reset' }, when: forecasts, at: { first: 1 } }],
    stalls: true, // the official client does not notice that nothing more will come
    act: oslo,
    promises: {
      'the second attempt answers': whole,
      'a read may run twice': (_, { ran }) => assert.equal(ran('get_forecast'), 2),
    },
  },
  {
    name: 'the server refuses connections',
    rules: [{ fault: 'connection-refused', params: { forMs: 0 }, when: { target: 'weather-http' }, at: { first: 2 } }],
    act: oslo,
    promises: { 'the third attempt answers': whole, 'the tool ran once': (_, { ran }) => assert.equal(ran('get_forecast'), 1) },
  },
  {
    name: 'a web page in the place of an answer',
    rules: [{ fault: 'malformed-body', params: { as: 'page' }, when: forecasts }],
    stalls: true, // nor that an event holds no answer
    act: oslo,
    promises: { 'an old forecast, and it says so': staleAndSaysSo },
  },
  {
    name: 'answers that never come',
    rules: [{ fault: 'hang', when: forecasts }],
    stalls: true,
    act: (world) => world.get('/weather/Oslo', { 'x-deadline-ms': '2500' }),
    promises: {
      'an old forecast, and it says so': staleAndSaysSo,
      'within the deadline of the user': ({ tookMs }) => assert.ok(tookMs <= 2500, `${tookMs} ms`),
      'a third attempt would not be back in time, so it is not made': (_, { run }) => assert.equal(faultsOf(run), 2),
    },
  },
  {
    name: 'one answer that comes far too late',
    rules: [{ fault: 'latency', params: { addedMs: 60_000 }, when: forecasts, at: { first: 1 } }],
    stalls: true,
    act: oslo,
    promises: {
      'the second attempt answers': whole,
      'patience was one attempt long': ({ tookMs }) => assert.equal(tookMs, ATTEMPT_MS + 200),
    },
  },
];

/** Faults that were delivered so far. */
export function faultsOf(run) {
  return run.journal.filter(({ kind, state }) => kind === 'fault' && state === 'delivered').length;
}
