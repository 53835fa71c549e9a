import { expect, test } from 'vitest';
import { createGrowth } from './memory-growth.js';

const MINUTE_MS = 60_000;

function grown(minutes: number, valueAt: (minute: number) => number): number | undefined {
  const growth = createGrowth(0);
  for (let minute = 0; minute <= minutes; minute++) growth.add(minute * MINUTE_MS, valueAt(minute));
  return growth.perHour();
}

test('is not known before three hours after the warm-up', () => {
  expect(grown(3 * 60 + 29, () => 100)).toBeUndefined();
  expect(grown(3 * 60 + 30, () => 100)).toBe(0);
});

test('finds a leak, also for days on end', () => {
  for (const hours of [4, 50]) {
    const share = grown(hours * 60, (minute) => 1e8 + (minute / 60) * 1e7)!;
    // 10 MB an hour, of what it is by then.
    expect(share).toBeGreaterThan(1e7 / (1e8 + hours * 1e7) - 0.02);
    expect(share).toBeLessThan(0.1);
  }
});

test('the teeth of a garbage collector and the heap of the first minutes are no leak', () => {
  expect(Math.abs(grown(6 * 60, (minute) => 1e8 + (minute % 20) * 2e6 + (minute < 30 ? minute * 1e7 : 0))!)).toBeLessThan(0.01);
});

test('a spike at either end is no leak', () => {
  expect(grown(4 * 60, (minute) => (minute === 30 || minute === 240 ? 9e8 : 1e8))).toBe(0);
});
