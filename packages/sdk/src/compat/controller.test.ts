import { expect, test, vi } from 'vitest';
import { createPlainFetch } from './fixtures/plain-fetch.js';
import { freshController, logged } from './fixtures/fresh-controller.js';
import { assertChaosAllowed, ChaosController, createChaosAwareFetch, isFaultTarget, type FaultConfig } from './index.js';
import { interceptFetch } from '../interceptors/intercept-fetch.js';

freshController();

const DOWN: FaultConfig = { type: 'error', statusCode: 503 };

test('an id is target, epoch milliseconds, and six characters of base 36', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 });
  expect(ChaosController.getInstance().inject('weather-api', DOWN)).toMatch(/^weather-api-1700000000000-[0-9a-z]{6}$/);
});

test('the guard refuses with the known texts, and asks for the environment of now', () => {
  vi.stubEnv('NODE_ENV', 'Production');
  expect(assertChaosAllowed).toThrow('FATAL: Chaos framework must never run in production');
  vi.stubEnv('NODE_ENV', 'test');
  vi.stubEnv('ENVIRONMENT', 'production');
  expect(() => ChaosController.getInstance()).toThrow('FATAL: Chaos framework must never run in production');
  vi.stubEnv('ENVIRONMENT', 'staging');
  vi.stubEnv('CHAOS_ENABLED', '1');
  expect(() => ChaosController.getInstance()).toThrow('Chaos framework not enabled. Set CHAOS_ENABLED=true');
  vi.stubEnv('CHAOS_ENABLED', 'true');
  expect(ChaosController.getInstance()).toBe(ChaosController.getInstance());
});

test('a fault that its draw spares leaves the call to the next one', () => {
  const controller = ChaosController.getInstance();
  controller.inject('api', { ...DOWN, probability: 0 });
  controller.inject('api', { type: 'latency', delayMs: 5 });
  expect(controller.getFault('api')).toEqual({ type: 'latency', delayMs: 5 });
  expect(controller.getActiveFaults().map(({ requestCount }) => requestCount)).toEqual([0, 1]);
});

test.each([NaN, -0.5, 2, Infinity])('a probability of %s is refused', (probability) => {
  const text = `probability must be between 0 and 1, got ${probability}`;
  expect(() => ChaosController.getInstance().inject('api', { ...DOWN, probability })).toThrow(text);
});

test.each([NaN, -1, Infinity, '5'])('a duration of %s is refused', (durationMs) => {
  const inject = () => ChaosController.getInstance().inject('api', DOWN, durationMs as number);
  expect(inject).toThrow('durationMs must be a non-negative finite number');
});

test.each([
  [undefined, /fault config must be a mapping, not nothing/],
  [{ type: 'latency', delayMs: NaN }, /config\.delayMs must be a number from 0/],
  [{ type: 'error', statusCode: 99 }, /config\.statusCode must be a whole number from 400 to 599/],
  [{ type: 'latncy', delayMs: 1 }, /unknown type "latncy"/],
  [{ type: 'latency', delay_ms: 'x' }, /config\.delay_ms must be a number/],
  [{ type: 'latency', delay_ms: 1, delayMs: 1 }, /both "delayMs" and "delay_ms"/],
  [{ type: 'rate-limit', retry_after_seconds: -1 }, /config\.retry_after_seconds/],
])('refuses %j by the name of its field', (config, text) => {
  expect(() => ChaosController.getInstance().inject('api', config as never)).toThrow(text);
});

test('a config in snake_case is the same fault', () => {
  const controller = ChaosController.getInstance();
  controller.inject('api', { type: 'latency', delay_ms: 2000 } as never);
  expect(controller.getFault('api')).toEqual({ type: 'latency', delayMs: 2000 });
});

test('the 1001st fault is refused, and expired ones make room', () => {
  vi.useFakeTimers();
  const controller = ChaosController.getInstance();
  for (let count = 0; count < 1000; count++) controller.inject('api', DOWN, 100);
  const text = 'Maximum number of active faults (1000) exceeded. Clear some faults first.';
  expect(() => controller.inject('api', DOWN)).toThrow(text);
  vi.advanceTimersByTime(101);
  controller.inject('api', DOWN);
  expect(controller.getActiveFaults()).toHaveLength(1);
});

test('a fault lives up to and with its last millisecond', () => {
  vi.useFakeTimers();
  const controller = ChaosController.getInstance();
  const id = controller.inject('api', DOWN, 100);
  vi.advanceTimersByTime(100);
  expect(controller.getFault('api')).not.toBeNull();
  vi.advanceTimersByTime(1);
  expect(controller.getFault('api')).toBeNull();
  expect(controller.clear(id)).toBe(false);
});

test('injected twice is two faults, of which the first is met; cleared twice is false the second time', () => {
  const controller = ChaosController.getInstance();
  const [first, second] = [controller.inject('api', DOWN), controller.inject('api', DOWN)];
  controller.getFault('api');
  expect(controller.getActiveFaults().map(({ requestCount }) => requestCount)).toEqual([1, 0]);
  expect([controller.clear(first), controller.clear(first), controller.clear(second)]).toEqual([true, false, true]);
});

test('a controller that was reset is not asked any more, and says so when it is used', async () => {
  const old = ChaosController.getInstance();
  ChaosController.reset();
  old.inject('api', DOWN);
  expect(logged).toContainEqual(['warn', 'chaos-controller', { target: 'api' }, expect.stringContaining('was it reset')]);
  expect((await createChaosAwareFetch('api', createPlainFetch())('http://localhost/')).status).toBe(200);
});

test('native interceptors on its run meet the same faults, which are counted together', async () => {
  const controller = ChaosController.getInstance();
  const id = controller.inject('bank', DOWN);
  const { fetch } = interceptFetch(controller.run, { fetch: createPlainFetch(), target: 'bank' });
  const wrapped = createChaosAwareFetch('bank', createPlainFetch());
  const post = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"pay"}}',
  };
  expect([(await fetch('http://localhost/', post)).status, (await wrapped('http://localhost/')).status]).toEqual([503, 503]);
  expect(controller.getActiveFaults()).toEqual([{ id, target: 'bank', type: 'error', requestCount: 2 }]);
  controller.clear(id);
  expect((await fetch('http://localhost/', post)).status).toBe(200);
  controller.inject('other', DOWN);
  expect(controller.getActiveFaults()).toHaveLength(1);
  const { run } = controller;
  ChaosController.reset();
  expect(run.isStopped).toBe(true);
});

test('a target is any text but none', () => {
  expect(() => ChaosController.getInstance().inject('', DOWN)).toThrow('target must be a non-empty string.');
  expect(['redis', '', undefined, 5].map(isFaultTarget)).toEqual([true, false, false, false]);
});
