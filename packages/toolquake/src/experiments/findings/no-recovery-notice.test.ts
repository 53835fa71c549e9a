import { expect, test } from 'vitest';
import { found } from '../fixtures/journal.js';
import { noRecoveryNotice } from './no-recovery-notice.js';

test('a healthy run has none', () => {
  expect(found(noRecoveryNotice)).toBeUndefined();
});

test('an alert that is called off is fine', () => {
  const alerts = [
    [11_000, 'firing', 'timeout'],
    [21_000, 'resolved', 'timeout'],
  ] as const;
  expect(found(noRecoveryNotice, { alerts })).toBeUndefined();
});

test('an alert that stays although all is steady', () => {
  expect(found(noRecoveryNotice, { alerts: [[11_000, 'firing', 'timeout']] })).toContain('"timeout" was not called off');
});

test('an alert that fires again after it was called off', () => {
  const alerts = [
    [11_000, 'firing', 'timeout'],
    [12_000, 'resolved', 'timeout'],
    [13_000, 'firing', 'timeout'],
  ] as const;
  expect(found(noRecoveryNotice, { alerts })).toBeDefined();
});

test('who never recovered owes no notice', () => {
  expect(found(noRecoveryNotice, { alerts: [[11_000, 'firing', 'timeout']], isSteady: (atMs) => atMs < 10_000 })).toBeUndefined();
});
