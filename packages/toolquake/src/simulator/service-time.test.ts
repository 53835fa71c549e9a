import { keyedRandom } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { createSampler, fastestMs } from './service-time.js';
import type { Spread } from './topology-fields.js';

const draws = (spread: Spread, seed = 1): readonly number[] => {
  const sample = createSampler(spread, keyedRandom(seed).stream('service', 'server/0'));
  return Array.from({ length: 20_000 }, sample).sort((a, b) => a - b);
};
const quantile = (values: readonly number[], q: number): number => values[Math.floor(q * values.length)]!;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

describe('draws have the distribution that was asked for', () => {
  test('fixed', () => expect(new Set(draws({ kind: 'fixed', ms: 20 }))).toEqual(new Set([20])));
  test('uniform', () => {
    const values = draws({ kind: 'uniform', fromMs: 10, toMs: 30 });
    expect(values[0]).toBeGreaterThanOrEqual(10);
    expect(values.at(-1)).toBeLessThan(30);
    expect(mean(values)).toBeCloseTo(20, 0);
  });
  test('exponential', () => {
    const values = draws({ kind: 'exponential', meanMs: 50 });
    expect(Math.abs(mean(values) - 50)).toBeLessThan(2);
    expect(Math.abs(quantile(values, 0.5) - 50 * Math.LN2)).toBeLessThan(2);
  });
  test('lognormal: its median and its 99th percentile', () => {
    const values = draws({ kind: 'lognormal', medianMs: 80, p99Ms: 300 });
    expect(Math.abs(quantile(values, 0.5) - 80)).toBeLessThan(3);
    expect(Math.abs(quantile(values, 0.99) - 300)).toBeLessThan(25);
  });
});

test.each<Spread>([
  { kind: 'fixed', ms: 20 },
  { kind: 'uniform', fromMs: 10, toMs: 30 },
  { kind: 'exponential', meanMs: 50 },
  { kind: 'lognormal', medianMs: 80, p99Ms: 300 },
])('$kind: at most one draw in a hundred or so is faster than the fastest', (spread) => {
  const values = draws(spread);
  expect(values.filter((value) => value < fastestMs(spread)).length / values.length).toBeLessThan(0.013);
});

test('the same seed draws the same, another one does not', () => {
  const spread: Spread = { kind: 'exponential', meanMs: 50 };
  expect(draws(spread, 7)).toEqual(draws(spread, 7));
  expect(draws(spread, 7)).not.toEqual(draws(spread, 8));
});
