import { expect, test } from 'vitest';
import { each, END_MS, found, probes } from '../fixtures/journal.js';
import type { Sample } from '../../core/sample.js';
import { notRestarted } from './not-restarted.js';

test('a healthy run has none', () => {
  expect(found(notRestarted)).toBeUndefined();
});

const processes = (back: number): readonly Sample[] =>
  each(0, END_MS).map((atMs) => ({ source: 'process', atMs, pid: atMs < 10_000 ? 42 : atMs < back ? 0 : 43, uptimeMs: 1000 }));
const isSteady = (atMs: number): boolean => atMs < 10_000;

test('a process that came back', () => {
  expect(found(notRestarted, { action: 'kill-process', samples: processes(11_000) })).toBeUndefined();
});

test('a process that stayed away until the undo', () => {
  expect(found(notRestarted, { action: 'kill-process', samples: processes(20_500), isSteady })).toContain('No process came back');
});

test('without a look at processes, probes tell', () => {
  const down = probes((atMs) => atMs < 10_000);
  expect(found(notRestarted, { action: 'kill-process', probes: down, isSteady })).toBeDefined();
  expect(found(notRestarted, { action: 'block-dependency', probes: down, isSteady })).toBeUndefined();
});
