import { expect, test } from 'vitest';
import { found, notUndone } from '../fixtures/journal.js';
import { manualRestart } from './manual-restart.js';

test('a healthy run has none', () => {
  expect(found(manualRestart)).toBeUndefined();
});

test('still broken long after the fault was gone', () => {
  expect(found(manualRestart, { isSteady: (atMs) => atMs < 11_000 })).toBe('Still not steady 39.5 s after the fault was gone.');
});

test('recovered in the end', () => {
  expect(found(manualRestart, { isSteady: (atMs) => atMs < 11_000 || atMs > 40_000 })).toBeUndefined();
});

test('what we have not undone is our fault', () => {
  expect(found(manualRestart, { isSteady: (atMs) => atMs < 11_000, more: [notUndone] })).toBeUndefined();
});
