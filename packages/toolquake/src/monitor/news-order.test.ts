import { expect, test } from 'vitest';
import { createNewsOrder } from './news-order.js';

test('what a later probe has contradicted already is dropped, and only that', () => {
  const order = createNewsOrder();
  const heard = (slot: number, isUp: boolean): boolean => order.counts({ slot, isUp });
  expect(heard(0, true)).toBe(true);
  expect(heard(3, true)).toBe(true);
  expect(heard(1, false)).toBe(false);
  expect(heard(2, true)).toBe(true);
  expect(heard(5, false)).toBe(true);
  expect(heard(4, true)).toBe(false);
  expect(heard(6, true)).toBe(true);
});

test('whoever is heard after one that began later is late', () => {
  const order = createNewsOrder();
  const isLate = (slot: number): boolean => order.counts({ slot, isUp: true }) && order.isLate(slot);
  expect([0, 3, 1, 2, 4].map(isLate)).toEqual([false, false, true, true, false]);
});
