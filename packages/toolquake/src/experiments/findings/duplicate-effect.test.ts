import { expect, test } from 'vitest';
import { each, END_MS, found } from '../fixtures/journal.js';
import type { Sample } from '../../core/sample.js';
import { duplicateEffect } from './duplicate-effect.js';

test('a healthy run has none', () => {
  expect(found(duplicateEffect)).toBeUndefined();
});

const counts = (name: string, before: number, after: number): readonly Sample[] =>
  each(0, END_MS).map((atMs) => ({ source: 'reading', atMs, name, value: atMs < 10_000 ? before : after }));

test('duplicates that are new', () => {
  expect(found(duplicateEffect, { samples: counts('duplicate-effects', 1, 3) })).toContain('2 operations');
});

test('duplicates of old, and other readings', () => {
  expect(found(duplicateEffect, { samples: counts('duplicate_effects', 3, 3) })).toBeUndefined();
  expect(found(duplicateEffect, { samples: counts('orders', 1, 9) })).toBeUndefined();
});
