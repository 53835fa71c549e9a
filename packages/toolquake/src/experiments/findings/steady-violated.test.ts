import { expect, test } from 'vitest';
import { call } from '../fixtures/fake-world.js';
import { each, END_MS, FAULT_OFF_MS, FAULT_ON_MS, found } from '../fixtures/journal.js';
import { steadyViolated } from './steady-violated.js';

test('a healthy run has none', () => {
  expect(found(steadyViolated)).toBeUndefined();
});

test('invariant 23: a violation during the fault counts, also when it is over before the fault is', () => {
  expect(found(steadyViolated, { isSteady: (atMs) => atMs !== 12_000 })).toBe(
    'During the fault, at 12.0 s, probe_success was 0.2, wanted at least 0.9.',
  );
});

test('what is broken at the end counts as well', () => {
  expect(found(steadyViolated, { isSteady: (atMs) => atMs < 30_000 })).toContain('At the end, after the fault');
});

test('what recovers in the end does not', () => {
  expect(found(steadyViolated, { isSteady: (atMs) => atMs < 20_000 || atMs > 22_000 })).toBeUndefined();
});

test('calls that hung under the fault count, though they were given up after it', () => {
  const rule = { signal: 'error_rate', atMost: 0.1, windowMs: 5000, minSamples: 5, phases: ['before', 'during', 'after'] } as const;
  const fine = [...each(0, FAULT_ON_MS + 1000, 200), ...each(FAULT_OFF_MS + 3000, END_MS, 200)].map((atMs) => call(atMs));
  const given = (ms: number) => each(FAULT_OFF_MS + 1000, FAULT_OFF_MS + 3000, 200).map((atMs) => call(atMs, 'timeout', 'faulted', ms));
  const detail = (ms: number) => found(steadyViolated, { experiment: { steady: [rule] }, samples: [...fine, ...given(ms)] });
  expect(detail(8000)).toBe('Counting what began during the fault and ended after it, error_rate was 1, wanted at most 0.1.');
  // These began when it was over, and are for the rules that come after.
  expect(detail(100)).toBeUndefined();
});
