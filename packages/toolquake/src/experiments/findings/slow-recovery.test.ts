import { expect, test } from 'vitest';
import { found } from '../fixtures/journal.js';
import { slowRecovery } from './slow-recovery.js';

test('a healthy run has none', () => {
  expect(found(slowRecovery)).toBeUndefined();
});

test('recovered in its time', () => {
  expect(found(slowRecovery, { isSteady: (atMs) => atMs < 11_000 || atMs >= 24_000 })).toBeUndefined();
});

test('recovered later than it must', () => {
  expect(found(slowRecovery, { isSteady: (atMs) => atMs < 11_000 || atMs >= 30_000 })).toBe(
    'Steady again 8.0 s after the fault was gone; the file allows 3 s.',
  );
});

test('who must heal itself is timed from the fault on', () => {
  const experiment = { mustSelfHeal: true };
  expect(found(slowRecovery, { experiment, isSteady: (atMs) => atMs < 11_000 || atMs >= 14_000 })).toBeUndefined();
  expect(found(slowRecovery, { experiment, isSteady: (atMs) => atMs < 11_000 || atMs >= 17_000 })).toContain('5.0 s after the fault began');
});
