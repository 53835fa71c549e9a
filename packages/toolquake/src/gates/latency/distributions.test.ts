import fc from 'fast-check';
import * as ss from 'simple-statistics';
import { describe, expect, test } from 'vitest';
import { fisherUpperTail, normalUpperTail, studentQuantile, studentUpperTail } from './distributions.js';

describe('the normal tail', () => {
  test('agrees with the error function of simple-statistics', () => {
    for (let z = -4; z <= 4; z += 0.25) expect(normalUpperTail(z)).toBeCloseTo((1 - ss.errorFunction(z / Math.SQRT2)) / 2, 6);
  });

  test.each([
    [1.959963984540054, 0.025],
    [3.090232306167813, 0.001],
    [6, 9.865876450376946e-10],
  ])('beyond %d lies %d', (z, chance) => {
    expect(normalUpperTail(z) / chance).toBeCloseTo(1, 9);
  });
});

describe("Student's t", () => {
  test.each([
    [0.025, 1, 12.7062],
    [0.025, 7, 2.3646],
    [0.01, 19, 2.5395],
    [0.005, 19, 2.8609],
    [0.005, 49, 2.67995],
    [0.025, 1e6, 1.95996],
  ])('leaves %d above, with %d degrees of freedom, at %d', (upper, freedom, expected) => {
    expect(studentQuantile(upper, freedom)).toBeCloseTo(expected, 3);
  });

  test('quantile and tail undo each other', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-6, max: 0.4, noNaN: true }), fc.integer({ min: 1, max: 300 }), (upper, freedom) => {
        expect(studentUpperTail(studentQuantile(upper, freedom), freedom)).toBeCloseTo(upper, 8);
      }),
    );
  });
});

/** By counting, with whole numbers. */
function chooseExactly(from: number, count: number): bigint {
  let result = 1n;
  for (let step = 1; step <= count; step++) result = (result * BigInt(from - count + step)) / BigInt(step);
  return result;
}

test("Fisher's test counts hands of cards", () => {
  const table = fc.record({
    drawn: fc.integer({ min: 0, max: 20 }),
    rest: fc.integer({ min: 0, max: 20 }),
    share: fc.double({ min: 0, max: 1, noNaN: true }),
    hits: fc.integer({ min: 0, max: 20 }),
  });
  fc.assert(
    fc.property(table, ({ drawn, rest, share, hits }) => {
      const total = drawn + rest;
      const marked = Math.round(share * total);
      let ways = 0n;
      for (let count = hits; count <= Math.min(drawn, marked); count++) {
        if (drawn - count <= total - marked) ways += chooseExactly(marked, count) * chooseExactly(total - marked, drawn - count);
      }
      const expected = Number(ways) / Number(chooseExactly(total, drawn));
      expect(fisherUpperTail({ hits, drawn, marked, total })).toBeCloseTo(expected, 9);
    }),
  );
});
