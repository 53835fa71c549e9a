import { expect, test } from 'vitest';
import { each, END_MS, found } from '../fixtures/journal.js';
import type { Sample } from '../../core/sample.js';
import { retryStorm } from './retry-storm.js';

test('a healthy run has none', () => {
  expect(found(retryStorm)).toBeUndefined();
});

const tasks = (during: number, before = 1): readonly Sample[] =>
  each(0, END_MS).map((atMs) => ({ source: 'task', atMs, isDone: true, attempts: atMs < 10_000 ? before : during, ms: 10 }));

test('retries with a bound ride it out', () => {
  expect(found(retryStorm, { samples: tasks(3) })).toBeUndefined();
});

test('retries without one multiply the load', () => {
  expect(found(retryStorm, { samples: tasks(12) })).toContain('took 12.0 calls each from the fault on, and 1.0 before');
});

test('as many as before the fault is how it always is', () => {
  expect(found(retryStorm, { samples: tasks(5, 4) })).toBeUndefined();
});
