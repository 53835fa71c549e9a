import { expect, test } from 'vitest';
import { found } from '../fixtures/journal.js';
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
