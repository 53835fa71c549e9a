import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linearScale, niceStep, rangeScale, timeScale } from './scale.js';

const positive = fc.double({ min: 1e-9, max: 1e12, noNaN: true });

test('steps are 1, 2 or 5 times a power of ten', () => {
  expect([0.03, 0.2, 0.21, 1, 7, 1200].map(niceStep)).toEqual([0.05, 0.2, 0.5, 1, 10, 2000]);
});

test('a linear scale holds everything, and its ticks lie within', () => {
  fc.assert(
    fc.property(positive, (high) => {
      const scale = linearScale({ low: 0, high, from: 100, to: 0 });
      expect(scale.at(high)).toBeGreaterThanOrEqual(-1e-6);
      expect(scale.at(0)).toBe(100);
      expect(scale.ticks.length).toBeGreaterThanOrEqual(2);
      expect(scale.ticks.length).toBeLessThan(10);
    }),
  );
  expect(linearScale({ low: 0, high: 0.28, from: 0, to: 1, ticks: 5 }).ticks).toEqual([0, 0.1, 0.2, 0.3]);
});

test('a wide range is logarithmic, a narrow one starts at 0, and every place is a number', () => {
  fc.assert(
    fc.property(fc.array(positive, { minLength: 1, maxLength: 20 }), (values) => {
      const scale = rangeScale({ values, from: 0, to: 100 });
      expect(scale.isLog).toBe(Math.max(...values) / Math.min(...values) > 20);
      for (const value of values) {
        expect(scale.at(value)).toBeGreaterThanOrEqual(-1e-6);
        expect(scale.at(value)).toBeLessThanOrEqual(100 + 1e-6);
      }
    }),
  );
  expect(rangeScale({ values: [], from: 0, to: 1 }).at(0)).toBe(0);
});

test('a logarithmic scale has more than one label, also where it holds one power of ten', () => {
  fc.assert(
    fc.property(fc.double({ min: 1e-3, max: 1e6, noNaN: true }), fc.double({ min: 20.1, max: 1e6, noNaN: true }), (low, factor) => {
      const { ticks } = rangeScale({ values: [low, low * factor], from: 92, to: 0, ticks: 2 });
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(10);
    }),
  );
  expect(rangeScale({ values: [4, 89], from: 92, to: 0 }).ticks).toEqual([2, 5, 10, 20, 50]);
});

test('time is counted in seconds, minutes and hours', () => {
  const ticks = (high: number): readonly number[] => timeScale({ low: 0, high, from: 0, to: 100 }).ticks;
  expect(ticks(60_000)).toEqual([0, 10_000, 20_000, 30_000, 40_000, 50_000, 60_000]);
  expect(ticks(600_000)[1]).toBe(120_000);
  expect(ticks(0)).toContain(0);
});
