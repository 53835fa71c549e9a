import { expect, test } from 'vitest';
import { startPlan } from '../controller/start-plan.js';
import { interceptFetch } from '../interceptors/intercept-fetch.js';
import { runScenario } from './run-scenario.js';
import { defineScenario, type Scenario } from './scenario.js';

const POST = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"forecast","arguments":{}}}',
};

/** A run with two targets, and the status that a call of one ends with. */
function service() {
  const run = startPlan({ rules: [] }, { isAllowed: () => true });
  const plain = async (): Promise<Response> => Response.json({ jsonrpc: '2.0', id: 1, result: {} });
  const targets = {
    weather: interceptFetch(run, { fetch: plain, target: 'weather' }).fetch,
    flights: interceptFetch(run, { fetch: plain, target: 'flights' }).fetch,
  };
  return { run, call: async (target: keyof typeof targets): Promise<number> => (await targets[target]('http://localhost/', POST)).status };
}

const down = (assertions: Scenario<number>['assertions'] = []): Scenario<number> =>
  defineScenario<number>({
    name: 'weather-down',
    description: 'The weather service fails.',
    faults: [{ target: 'weather', config: { type: 'error', statusCode: 503 } }],
    expectedBehavior: 'Flights still work.',
    assertions,
  });

test('faults act on their targets while the work goes on, assertions are evaluated, sentences are reported', async () => {
  const { run, call } = service();
  const scenario = down([
    'The breaker opens',
    function failsFast({ value }) {
      expect(value).toBe(503);
    },
    { name: 'flights still work', check: async () => expect(await call('flights')).toBe(200) },
  ]);
  expect(await runScenario(run, scenario, () => call('weather'))).toEqual({
    scenario: 'weather-down',
    value: 503,
    assertions: [
      { name: 'The breaker opens', state: 'not-evaluated' },
      { name: 'failsFast', state: 'held' },
      { name: 'flights still work', state: 'held' },
    ],
    fired: [1],
  });
  expect([await call('weather'), run.list()]).toEqual([200, []]);
});

test('every assertion that does not hold is told, and the faults are out all the same', async () => {
  const { run, call } = service();
  const scenario = down([
    () => false,
    function breaks() {
      throw new Error('no fallback');
    },
    () => true,
  ]);
  const failure = await runScenario(run, scenario, () => call('weather')).catch((error: Error) => error);
  expect(failure).toMatchObject({
    name: 'AssertionError',
    message: 'Scenario "weather-down" failed.\n  assertion 1: it returned false\n  breaks: Error: no fallback',
  });
  expect(run.list()).toEqual([]);
});

test('a fault that never fired fails the scenario unless told otherwise, each time anew', async () => {
  const { run, call } = service();
  const rule = { id: 'down', fault: 'http-status', when: { target: 'weather' } };
  const scenario: Scenario<number> = { name: 'once', faults: [{ rule }] };
  expect((await runScenario(run, scenario, () => call('weather'))).fired).toEqual([1]);
  await expect(runScenario(run, scenario, () => call('flights'))).rejects.toThrow(/down never fired: no call met it/);
  expect((await runScenario(run, scenario, () => call('flights'), { mayNotFire: true })).fired).toEqual([0]);
});

test('work that fails says more than what is asserted about it', async () => {
  const { run } = service();
  const work = (): never => {
    throw new Error('the work itself');
  };
  await expect(runScenario(run, down([() => false]), work)).rejects.toThrow('the work itself');
  expect(run.list()).toEqual([]);
});

test('all faults of a scenario or none: one that nothing can perform is refused, and those before it are taken out', async () => {
  const { run } = service();
  const scenario: Scenario = {
    name: 'n',
    faults: [{ target: 'weathr', config: { type: 'malformed', corruptResponse: true } }, { rule: { fault: 'latency' } }],
  };
  await expect(runScenario(run, scenario, () => 1)).rejects.toThrow(/its target is weathr/);
  expect(run.list()).toEqual([]);
});

test.each<[unknown, RegExp]>([
  [{ name: '', faults: [{ rule: {} }] }, /name must not be empty/],
  [{ name: 'n', faults: [] }, /faults must be a list of at least one/],
  [{ name: 'n', faults: [{ target: 'a', config: { type: 'latency', delay_ms: 'x' } }] }, /faults\[0\]: config\.delay_ms must be a number/],
  [{ name: 'n', faults: [{ config: { type: 'malformed' } }] }, /faults\[0\]\.target must be text/],
  [{ name: 'n', faults: [{ target: 'a', config: { type: 'malformed' }, durationMs: NaN }] }, /faults\[0\]\.durationMs/],
  [{ name: 'n', faults: [{ target: 'a', rule: { fault: 'latency' } }] }, /faults\[0\] has a rule/],
  [{ name: 'n', faults: [{ rule: {} }], asserts: [] }, /unknown key "asserts"/],
  [undefined, /scenario must be a mapping/],
])('defineScenario refuses %j', (scenario, message) => {
  expect(() => defineScenario(scenario as Scenario)).toThrow(message);
});
