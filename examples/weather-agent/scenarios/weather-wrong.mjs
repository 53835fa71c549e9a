// The weather service answers, and the answer is an error, a lie or half of it. And what keeps a bad hour from growing.
import assert from 'node:assert/strict';
import { faultsOf, staleAndSaysSo, whole } from './weather-down.mjs';

const forecasts = { target: 'weather-mcp', tool: 'get_forecast' };
const oslo = (world) => world.get('/weather/Oslo');
/** One after the other, as often as asked. */
async function osloTimes(world, times) {
  const replies = [];
  for (let n = 0; n < times; n++) replies.push(await oslo(world));
  return replies;
}

export const weatherWrong = [
  {
    name: 'two internal errors in a row',
    rules: [{ fault: 'error-response', when: forecasts, at: { first: 2 } }],
    act: oslo,
    promises: { 'the third attempt answers': whole, 'the tool ran once': (_, { ran }) => assert.equal(ran('get_forecast'), 1) },
  },
  {
    name: 'the tool itself says no',
    rules: [{ fault: 'tool-error', when: forecasts }],
    act: oslo,
    promises: {
      'an old forecast, and it says so': staleAndSaysSo,
      'a "no" is not asked for again': (_, { run }) => assert.equal(faultsOf(run), 1),
    },
  },
  {
    name: 'a member of the result has another type',
    rules: [{ fault: 'schema-drift', params: { op: 'retype', fields: ['temperatureC'] }, when: forecasts }],
    act: oslo,
    promises: { 'never shown: an old forecast, and it says so': staleAndSaysSo },
  },
  {
    name: 'a temperature that is not true',
    rules: [{ fault: 'wrong-value', params: { path: 'temperatureC' }, when: forecasts }],
    act: oslo,
    promises: {
      'never shown: an old forecast, and it says so': staleAndSaysSo,
      'asked three times, because it might have been an accident': (_, { ran }) => assert.equal(ran('get_forecast'), 3),
    },
  },
  {
    name: 'no warnings to be had',
    rules: [{ fault: 'error-response', when: { target: 'weather-mcp', tool: 'get_warnings' } }],
    act: oslo,
    promises: {
      'a new forecast, and what is missing': ({ status, body }) =>
        assert.deepEqual([status, body.state, body.source, body.missing], [200, 'partial', 'live', ['warnings']]),
      '"none known" is not "none"': ({ body }) => assert.equal(body.warnings, undefined),
      'half an answer is not kept': async (_, { cache }) => assert.equal((await cache.read('Oslo')).isFresh, false),
    },
  },
  {
    name: 'errors for everybody',
    rules: [{ fault: 'error-response', when: forecasts }],
    act: (world) => osloTimes(world, 3),
    promises: {
      'users get old forecasts': (replies) => replies.forEach(staleAndSaysSo),
      'retries are no second storm: 3 calls and 4 retries, not 6': (_, { run, tools }) =>
        assert.deepEqual([faultsOf(run), tools.retries()], [7, 4]),
    },
  },
  {
    name: 'errors for so long that the breaker opens',
    rules: [{ fault: 'error-response', when: forecasts }],
    act: (world) => osloTimes(world, 7),
    promises: {
      'users get old forecasts': (replies) => replies.forEach(staleAndSaysSo),
      'five failed, with 4 retries; two were spared': (_, { run }) => assert.equal(faultsOf(run), 9),
      'readiness tells the truth': async (_, { get }) => {
        const { status, body } = await get('/ready');
        assert.deepEqual([status, body.ready, body.weather], [503, false, 'breaker open: get_forecast']);
      },
      'the third one is a probe; it fails, so the breaker stays open': async (_, world) => {
        await oslo(world);
        assert.equal(faultsOf(world.run), 10);
        assert.deepEqual(world.tools.openBreakers(), { weather: ['get_forecast'] });
      },
    },
    async recovery(world) {
      const replies = await osloTimes(world, 3);
      const sources = replies.map(({ body }) => body.source);
      assert.deepEqual(sources, ['cache', 'cache', 'live'], 'the third one is a probe, and closes the breaker');
    },
  },
];
