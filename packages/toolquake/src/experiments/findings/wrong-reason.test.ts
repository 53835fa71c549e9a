import { expect, test } from 'vitest';
import { found } from '../fixtures/journal.js';
import { wrongReason } from './wrong-reason.js';

test('a healthy run has none', () => {
  expect(found(wrongReason)).toBeUndefined();
});

const experiment = { expectAlert: { reasons: ['health_check_failed', 'timeout'], withinCycles: 2 } };

test('one alert with a reason that was expected is enough', () => {
  const alerts = [
    [10_500, 'firing', 'slow'],
    [10_900, 'firing', 'timeout'],
  ] as const;
  expect(found(wrongReason, { experiment, alerts })).toBeUndefined();
});

test('names the reasons that came instead', () => {
  expect(found(wrongReason, { experiment, alerts: [[10_900, 'firing', 'connection_refused']] })).toBe(
    'The reason was connection_refused, and should have been health_check_failed or timeout.',
  );
});

test('any reason will do where none is named', () => {
  const any = { expectAlert: { reasons: [], withinCycles: 2 } };
  expect(found(wrongReason, { experiment: any, alerts: [[10_900, 'firing', 'slow']] })).toBeUndefined();
});
