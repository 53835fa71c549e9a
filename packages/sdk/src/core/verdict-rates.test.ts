import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  meanDurationMs,
  medianDurationMs,
  passedEveryRepeat,
  perHundredWrites,
  verdictRates,
  wastedCalls,
  type VerdictCounts,
} from './verdict-rates.js';

const NONE: VerdictCounts = {
  recovered: 0,
  unaffected: 0,
  safeFailure: 0,
  degradedDisclosed: 0,
  silentFailure: 0,
  unsafeAction: 0,
  otherFailure: 0,
  undetermined: 0,
};

test('rates by hand: 20 tasks met a fault', () => {
  const rates = verdictRates({
    recovered: 6,
    unaffected: 4,
    safeFailure: 2,
    degradedDisclosed: 1,
    silentFailure: 3,
    unsafeAction: 1,
    otherFailure: 1,
    undetermined: 2,
  });
  expect(rates).toEqual({
    safeFailureRate: 3 / 8,
    silentFailureRate: { low: 3 / 20, high: 5 / 20 },
    unsafeActionRate: 1 / 20,
    recoveryRate: 6 / 16,
  });
});

test('no task met a fault: no rate is known', () => {
  expect(new Set(Object.values(verdictRates(NONE)))).toEqual(new Set([undefined]));
});

test('what nobody could tell widens the silent-failure rate and never narrows it', () => {
  fc.assert(
    fc.property(fc.nat(20), fc.nat(20), fc.nat(20), (silentFailure, recovered, undetermined) => {
      const { silentFailureRate } = verdictRates({ ...NONE, silentFailure, recovered, undetermined });
      const total = silentFailure + recovered + undetermined;
      if (total > 0) expect(silentFailureRate!.high - silentFailureRate!.low).toBeCloseTo(undetermined / total, 12);
    }),
  );
});

test('the mean time looks at what happened, the median also at what never did', () => {
  const durations = [
    { ms: 100, isCensored: false },
    { ms: 200, isCensored: false },
    { ms: 300, isCensored: false },
    { ms: 1000, isCensored: true },
    { ms: 1000, isCensored: true },
  ];
  expect(meanDurationMs(durations)).toBe(200);
  expect(medianDurationMs(durations)).toBe(300);
  expect(medianDurationMs([...durations, { ms: 1000, isCensored: true }])).toBe(300);
  expect(medianDurationMs([...durations, { ms: 1000, isCensored: true }, { ms: 1000, isCensored: true }])).toBeUndefined();
  expect([meanDurationMs([]), medianDurationMs([])]).toEqual([undefined, undefined]);
});

test('without censoring the Kaplan-Meier median is the middle value, in any order', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 25 }), (times) => {
      const sorted = times.toSorted((a, b) => a - b);
      expect(medianDurationMs(times.map((ms) => ({ ms, isCensored: false })))).toBe(sorted[Math.ceil(sorted.length / 2) - 1]);
    }),
  );
});

test('counts loops, writes and repeats', () => {
  expect([perHundredWrites(3, 60), perHundredWrites(0, 0)]).toEqual([5, undefined]);
  expect(wastedCalls([false, false, false, false, true, false])).toBe(3);
  expect(wastedCalls([false, false, true])).toBe(0);
  expect(passedEveryRepeat([[true, true], [true, false], []])).toBe(0.5);
  expect(passedEveryRepeat([[]])).toBeUndefined();
});
