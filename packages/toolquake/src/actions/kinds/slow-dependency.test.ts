import { expect, test } from 'vitest';
import { slowDependency } from './slow-dependency.js';

const params = { host: '127.0.0.1', port: 5432, namespace: 'shop', delayMs: 2000, jitterMs: 300 };

test('is slower with every stage', () => {
  expect(slowDependency.scale(params, 0.25)).toEqual({ ...params, delayMs: 500, jitterMs: 75 });
  expect(slowDependency.scale({ ...params, delayMs: '2s', jitterMs: '300ms' }, 0.5)).toEqual({ ...params, delayMs: 1000, jitterMs: 150 });
  expect(slowDependency.scale({ ...params, delayMs: 1, jitterMs: 0 }, 0.1)).toEqual({ ...params, delayMs: 1, jitterMs: 0 });
  expect(slowDependency.scale(params, 1)).toEqual(params);
});

test('trips over ten seconds, and over five percent of errors', () => {
  expect(slowDependency.trips).toMatchObject([
    { signal: 'call_p95_ms', above: 10_000 },
    { signal: 'error_rate', above: 0.05 },
  ]);
});

test.each([
  [{ ...params, delayMs: 0 }, 'delayMs'],
  [{ ...params, delayMs: '2s; reboot' }, 'delayMs'],
  [{ ...params, delayMs: Number.NaN }, 'delayMs'],
  [{ ...params, jitterMs: -1 }, 'jitterMs'],
  [{ ...params, interface: '-h' }, 'interface'],
  [{ ...params, interface: 'eth0\nlo' }, 'interface'],
  [{ ...params, existing: 'maybe' }, 'existing'],
])('refuses %j', (wrong, name) => {
  expect(() => slowDependency.scale(wrong, 1)).toThrow(`params.${name}`);
});
