import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  analyticBlastRadius,
  analyticBlastRadiusInterval,
  attributedBlastRadius,
  chanceInterval,
  meanInterval,
  wilsonInterval,
} from './interval.js';

test("Wilson's interval of 24 failed tasks in 200", () => {
  const interval = wilsonInterval(24, 200)!;
  expect(interval.low).toBeCloseTo(0.08198, 5);
  expect(interval.high).toBeCloseTo(0.17234, 5);
});

test('no failure in 200 tasks still leaves room for 1.9 %', () => {
  expect(wilsonInterval(0, 200)).toEqual({ low: 0, high: expect.closeTo(0.018845, 6) as number });
  expect(wilsonInterval(200, 200)).toEqual({ low: expect.closeTo(0.981155, 6) as number, high: 1 });
  expect(wilsonInterval(0, 0)).toBeUndefined();
});

test("Wilson's interval holds the share, lies within 0 and 1, and shrinks with more trials", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 500 }), fc.nat(500), (trials, given) => {
      const successes = given % (trials + 1);
      const { low, high } = wilsonInterval(successes, trials)!;
      expect(low >= 0 && low <= successes / trials && successes / trials <= high && high <= 1).toBe(true);
      const tenfold = wilsonInterval(10 * successes, 10 * trials)!;
      expect(tenfold.high - tenfold.low).toBeLessThan(high - low);
    }),
  );
});

test("a mean comes with Student's interval, and a single run with none", () => {
  expect(meanInterval([1, 2, 3])).toEqual({
    mean: 2,
    interval: { low: expect.closeTo(2 - 4.3027 / Math.sqrt(3), 4) as number, high: expect.closeTo(2 + 4.3027 / Math.sqrt(3), 4) as number },
  });
  expect(meanInterval([5])).toEqual({ mean: 5, interval: undefined });
  expect(meanInterval([])).toEqual({ mean: undefined, interval: undefined });
  // 40 degrees of freedom: t = 2.0211.
  const many = meanInterval(Array.from({ length: 41 }, (_, index) => index));
  const deviation = Math.sqrt(Array.from({ length: 41 }, (_, index) => (index - 20) ** 2).reduce((a, b) => a + b) / 40);
  expect((many.interval!.high - 20) / (deviation / Math.sqrt(41))).toBeCloseTo(2.0211, 3);
});

test('the paper value of the headline: 15 % of tasks, and 10 % to 20 % in 95 % of runs of 200 tasks', () => {
  const expected = analyticBlastRadius(0.02, 8);
  expect(expected).toBeCloseTo(1 - 0.98 ** 8, 12);
  expect(chanceInterval(expected, 200)).toEqual({ low: 0.1, high: 0.2 });
});

test('small rates keep their digits, and certain failure is certain', () => {
  expect(analyticBlastRadius(1e-18, 8)).toBeCloseTo(8e-18, 24);
  expect([analyticBlastRadius(1, 1), analyticBlastRadius(1, 0), analyticBlastRadius(0, 8)]).toEqual([1, 0, 0]);
});

test('the chance interval is what a count of runs says', () => {
  // A generator of its own: 20 000 runs of 50 trials at 3 %.
  let state = 1;
  const next = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
  const { low, high } = chanceInterval(0.03, 50)!;
  let inside = 0;
  for (let run = 0; run < 20_000; run++) {
    let successes = 0;
    for (let trial = 0; trial < 50; trial++) if (next() < 0.03) successes++;
    if (successes / 50 >= low && successes / 50 <= high) inside++;
  }
  expect(inside / 20_000).toBeGreaterThan(0.95);
});

test('the chance interval holds its probability up to one trial, for any size', () => {
  fc.assert(
    fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 100_000 }), (probability, trials) => {
      const { low, high } = chanceInterval(probability, trials)!;
      expect(low).toBeGreaterThanOrEqual(0);
      expect(high).toBeLessThanOrEqual(1);
      expect(low).toBeLessThanOrEqual(probability + 1 / trials);
      expect(high).toBeGreaterThanOrEqual(probability - 1 / trials);
    }),
  );
});

test('a measured failure rate gives an interval of blast radii', () => {
  const { low, high } = analyticBlastRadiusInterval(26, 1600, 8)!;
  expect([low, high]).toEqual([expect.closeTo(0.085, 2), expect.closeTo(0.174, 2)]);
  expect(analyticBlastRadiusInterval(0, 0, 8)).toBeUndefined();
});

test('attributes to the faults only what the baseline does not have', () => {
  expect(
    attributedBlastRadius([
      { faulted: 0.3, baseline: 0.1 },
      { faulted: 0.2, baseline: 0 },
    ]).mean,
  ).toBeCloseTo(0.2, 12);
});
