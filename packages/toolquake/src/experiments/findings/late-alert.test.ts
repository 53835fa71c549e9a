import { expect, test } from 'vitest';
import { found, probes } from '../fixtures/journal.js';
import { lateAlert } from './late-alert.js';

test('a healthy run has none', () => {
  expect(found(lateAlert)).toBeUndefined();
});

const experiment = { expectAlert: { reasons: ['health_check_failed'], withinCycles: 2 } };

test('an alert within its probe cycles is in time', () => {
  expect(found(lateAlert, { experiment, alerts: [[11_400, 'firing', 'health_check_failed']] })).toBeUndefined();
});

test('an alert after them is late, and one of another reason does not make up for it', () => {
  const alerts = [
    [10_900, 'firing', 'timeout'],
    [12_000, 'firing', 'health_check_failed'],
  ] as const;
  expect(found(lateAlert, { experiment, alerts })).toContain('2.0 s after the fault');
});

test('the time that a probe itself takes is not held against it', () => {
  const slow = probes(
    () => true,
    () => ({ totalMs: 2000 }),
  );
  expect(found(lateAlert, { experiment, probes: slow, alerts: [[13_000, 'firing', 'health_check_failed']] })).toBeUndefined();
});
