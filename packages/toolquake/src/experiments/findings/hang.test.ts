import { expect, test } from 'vitest';
import { each, END_MS, FAULT_OFF_MS, FAULT_ON_MS, found, probes } from '../fixtures/journal.js';
import type { Sample } from '../../core/sample.js';
import { call } from '../fixtures/fake-world.js';
import { hang } from './hang.js';

test('a healthy run has none', () => {
  expect(found(hang)).toBeUndefined();
});

const calls = (end: (atMs: number) => 'ok' | 'timeout' | 'rejected', lane: 'control' | 'faulted' = 'faulted'): readonly Sample[] =>
  each(0, END_MS, 200).map((atMs) => call(atMs, end(atMs), lane));
const during = (end: 'timeout' | 'rejected') => (atMs: number) => (atMs >= FAULT_ON_MS && atMs < FAULT_OFF_MS ? end : 'ok');

test('calls that are refused at once', () => {
  expect(found(hang, { samples: calls(during('rejected')) })).toBeUndefined();
});

test('calls that are given up', () => {
  expect(found(hang, { samples: calls(during('timeout')) })).toContain('got no answer in time');
});

test('calls that hung before the fault hang for another reason', () => {
  expect(found(hang, { samples: calls(() => 'timeout') })).toBeUndefined();
});

test('calls that we held up ourselves, one by one, say nothing; those beside them do', () => {
  expect(found(hang, { blast: 'calls', samples: calls(during('timeout')) })).toBeUndefined();
  const beside = [...calls(during('timeout'), 'control'), call(11_000, 'timeout', 'faulted')];
  expect(found(hang, { blast: 'calls', samples: beside })).toBeDefined();
});

test('a frozen process is silent because we froze it', () => {
  expect(found(hang, { action: 'freeze-process', samples: calls(during('timeout')) })).toBeUndefined();
});

test('without a load, the canary of the probe tells', () => {
  const canaries = probes(
    () => true,
    (atMs) => ({ canary: during('timeout')(atMs) }),
  );
  expect(found(hang, { probes: canaries })).toBeDefined();
});
