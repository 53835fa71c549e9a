import { expect, test } from 'vitest';
import { experimentOf, FAULT_OFF_MS, FAULT_ON_MS, found, probes } from '../fixtures/journal.js';
import { missedAlert } from './missed-alert.js';

test('a healthy run has none', () => {
  expect(found(missedAlert)).toBeUndefined();
});

const expectAlert = { reasons: ['health_check_failed'], withinCycles: 2 };
const down = probes((atMs) => atMs < FAULT_ON_MS || atMs >= FAULT_OFF_MS);

test('the alert that the file expects did not come', () => {
  expect(found(missedAlert, { experiment: { expectAlert } })).toContain('health_check_failed');
  expect(found(missedAlert, { experiment: { expectAlert }, alerts: [[10_900, 'firing', 'health_check_failed']] })).toBeUndefined();
});

test('an alert from before the fault is not the one', () => {
  expect(found(missedAlert, { experiment: { expectAlert }, alerts: [[900, 'firing', 'health_check_failed']] })).toBeDefined();
});

test('an outage that no file speaks of is missed, too', () => {
  expect(found(missedAlert, { probes: down })).toContain('20 probes failed in a row');
  expect(found(missedAlert, { probes: down, alerts: [[11_000, 'firing', 'connection_refused']] })).toBeUndefined();
  expect(found(missedAlert, { probes: probes((atMs) => atMs < 10_000 || atMs >= 11_500) })).toBeUndefined();
});

test('a run that was stopped before the alert was due does not miss it', () => {
  const stop = { kind: 'stop', atMs: FAULT_OFF_MS, why: 'asked to', isAsked: true } as const;
  const slow = { ...experimentOf({}).monitor, everyMs: 60_000 };
  expect(found(missedAlert, { experiment: { expectAlert, monitor: slow }, more: [stop] })).toBeUndefined();
  expect(found(missedAlert, { experiment: { expectAlert }, more: [stop] })).toBeDefined();
});
