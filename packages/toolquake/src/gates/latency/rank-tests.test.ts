import fc from 'fast-check';
import * as ss from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { holm, mannWhitneyUpperTail, wilcoxonUpperTail } from './rank-tests.js';

/** Every way to give signs, one by one. Ranks are means over equals, as anybody would write them down. */
function byEnumeration(differences: readonly number[]): number {
  const values = differences.filter((value) => value !== 0);
  const rank = (value: number): number => {
    const size = Math.abs(value);
    const below = values.filter((other) => Math.abs(other) < size).length;
    return below + (values.filter((other) => Math.abs(other) === size).length + 1) / 2;
  };
  const ranks = values.map(rank);
  const seen = values.reduce((sum, value, index) => (value > 0 ? sum + ranks[index]! : sum), 0);
  let reached = 0;
  for (let signs = 0; signs < 2 ** values.length; signs++) {
    const sum = ranks.reduce((total, one, index) => ((signs >> index) & 1 ? total + one : total), 0);
    if (sum >= seen - 1e-9) reached++;
  }
  return reached / 2 ** values.length;
}

describe("Wilcoxon's signed-rank test", () => {
  test('is what enumeration says, with equals and zeros', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: -6, max: 6 }), { maxLength: 11 }), (differences) => {
        expect(wilcoxonUpperTail(differences)).toBeCloseTo(byEnumeration(differences), 10);
      }),
    );
  });

  test('goes over to the normal law without a step', () => {
    const differences = (count: number): number[] => Array.from({ length: count }, (_, index) => Math.sin(index * 12.9898) + 0.12);
    const [exact, normal] = [wilcoxonUpperTail(differences(120)), wilcoxonUpperTail(differences(121))];
    expect(normal / exact).toBeGreaterThan(0.85);
    expect(normal / exact).toBeLessThan(1.15);
  });

  test('says nothing about differences that are all zero', () => {
    expect(wilcoxonUpperTail([0, 0, 0])).toBe(1);
  });
});

describe("Mann and Whitney's test", () => {
  test('has the rank sum of simple-statistics, and is close to what shuffling says', () => {
    const baseline = Array.from({ length: 30 }, (_, index) => 10 + ((index * 7) % 13));
    const candidate = Array.from({ length: 30 }, (_, index) => 12 + ((index * 5) % 13));
    const mean = (30 * 61) / 2;
    expect(ss.wilcoxonRankSum(candidate, baseline)).toBeGreaterThan(mean);
    let state = 1;
    const random = (): number => (state = (state * 48271) % 2147483647) / 2147483647;
    const all = [...baseline, ...candidate];
    const seen = ss.wilcoxonRankSum(candidate, baseline);
    let reached = 0;
    for (let round = 0; round < 2000; round++) {
      const shuffled = ss.shuffle(all, random);
      if (ss.wilcoxonRankSum(shuffled.slice(30), shuffled.slice(0, 30)) >= seen) reached++;
    }
    expect(Math.abs(mannWhitneyUpperTail(baseline, candidate) - reached / 2000)).toBeLessThan(0.015);
  });

  test('says nothing about samples that are all equal', () => {
    expect(mannWhitneyUpperTail([5, 5, 5], [5, 5, 5])).toBe(1);
  });
});

describe("Holm's correction", () => {
  test('steps down, and stops at the first that does not stand', () => {
    expect(holm([0.01, 0.04, 0.03, 0.005], 0.05)).toEqual([true, false, false, true]);
  });

  test('is never kinder than no correction, and never stricter than dividing by all', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 0.2, noNaN: true }), { minLength: 1, maxLength: 30 }), (chances) => {
        for (const [index, stands] of holm(chances, 0.05).entries()) {
          if (stands) expect(chances[index]).toBeLessThanOrEqual(0.05);
          else expect(chances[index]).toBeGreaterThan(0.05 / chances.length);
        }
      }),
    );
  });
});
