import { expect, test } from 'vitest';
import { each, END_MS, found } from '../fixtures/journal.js';
import { call } from '../fixtures/fake-world.js';
import { silentEmpty } from './silent-empty.js';

test('a healthy run has none', () => {
  expect(found(silentEmpty)).toBeUndefined();
});

const calls = (from: number, until: number): readonly ReturnType<typeof call>[] =>
  each(0, END_MS, 200).map((atMs) => call(atMs, atMs >= from && atMs < until ? 'empty' : 'ok', 'faulted'));

test('answers with nothing in them, during the fault or after it', () => {
  expect(found(silentEmpty, { samples: calls(11_000, 12_000) })).toContain('5 of 250 calls (2 %)');
  expect(found(silentEmpty, { samples: calls(25_000, 27_000) })).toBeDefined();
});

test('a single one, or as many as before, is no finding', () => {
  expect(found(silentEmpty, { samples: calls(11_000, 11_200) })).toBeUndefined();
  expect(found(silentEmpty, { samples: calls(0, END_MS) })).toBeUndefined();
});
