import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRetryBudget } from './retry-budget.js';

test('never allows more retries of one operation than it was given', () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 9 }), fc.nat(20), (maxRetries, wanted) => {
      const budget = createRetryBudget({ maxRetries });
      budget.recordFirst();
      let taken = 0;
      while (taken < wanted && budget.takeRetry(taken)) taken++;
      expect(taken).toBe(Math.min(maxRetries, wanted));
      expect(budget.retries()).toBe(taken);
    }),
  );
});

test('retries never exceed the reserve plus their share of first attempts, in any order of events', () => {
  fc.assert(
    fc.property(
      fc.double({ min: 0, max: 1, noNaN: true }),
      fc.nat(5),
      fc.array(fc.boolean(), { maxLength: 300 }),
      (maxShare, reserve, events) => {
        const budget = createRetryBudget({ maxRetries: 3, maxShare, reserve });
        let firsts = 0;
        for (const isFirst of events) {
          if (isFirst) {
            firsts++;
            budget.recordFirst();
          } else if (budget.takeRetry(0)) {
            expect(budget.retries()).toBeLessThanOrEqual(reserve + maxShare * firsts);
          }
        }
      },
    ),
  );
});

test('a refused retry costs nothing', () => {
  const budget = createRetryBudget({ maxRetries: 1, maxShare: 0.5, reserve: 0 });
  expect(budget.takeRetry(0)).toBe(false);
  budget.recordFirst();
  expect(budget.takeRetry(0)).toBe(false);
  budget.recordFirst();
  expect(budget.takeRetry(0)).toBe(true);
  expect(budget.takeRetry(0)).toBe(false);
  expect(budget.retries()).toBe(1);
});
