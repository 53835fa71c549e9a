import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTimeBuckets } from './time-buckets.js';

const counting = (widthMs: number): ReturnType<typeof createTimeBuckets<{ count: number }>> =>
  createTimeBuckets({
    widthMs,
    make: () => ({ count: 0 }),
    merge: (into, from) => {
      into.count += from.count;
    },
  });

test('nothing is lost and nothing is counted twice, however long it lasts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: 0, max: 1e14, noNaN: true }), { maxLength: 300 }),
      fc.double({ min: 0.001, max: 1e6, noNaN: true }),
      (times, widthMs) => {
        const buckets = counting(widthMs);
        for (const time of times) buckets.at(time).count++;
        const list = buckets.list();
        expect(list.reduce((sum, { bucket }) => sum + bucket.count, 0)).toBe(times.length);
        expect(list.length).toBeLessThanOrEqual(120);
        for (const { fromMs, toMs, bucket } of list) {
          // Widths double, so bounds are exact but for the last digit.
          const inside = times.filter((time) => time >= fromMs * (1 - 1e-12) && time <= toMs * (1 + 1e-12)).length;
          expect(inside).toBeGreaterThanOrEqual(bucket.count);
        }
      },
    ),
  );
});

test('neighbours become one when the time runs over', () => {
  const buckets = counting(10);
  buckets.at(0).count++;
  buckets.at(15).count++;
  buckets.at(1200).count++;
  expect(buckets.list().map(({ fromMs, toMs, bucket }) => [fromMs, toMs, bucket.count])).toEqual([
    [0, 20, 2],
    [1200, 1220, 1],
  ]);
});

test('a clock that is off is not believed', () => {
  const buckets = counting(10);
  buckets.at(-5).count++;
  buckets.at(Number.MAX_VALUE).count++;
  expect(buckets.list().map(({ bucket }) => bucket.count)).toEqual([1, 1]);
});
