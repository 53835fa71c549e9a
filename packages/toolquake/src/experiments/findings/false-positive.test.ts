import { expect, test } from 'vitest';
import { found, probes } from '../fixtures/journal.js';
import { falsePositive } from './false-positive.js';

test('a healthy run has none', () => {
  expect(found(falsePositive)).toBeUndefined();
});

test('an alert in the quiet phase', () => {
  expect(found(falsePositive, { alerts: [[5000, 'firing', 'slow']] })).toContain('"slow"');
  expect(found(falsePositive, { alerts: [[11_000, 'firing', 'slow']] })).toBeUndefined();
});

test('an alert with a reason is none', () => {
  expect(found(falsePositive, { alerts: [[5000, 'firing', 'timeout']], probes: probes((atMs) => atMs > 4000) })).toBeUndefined();
});
