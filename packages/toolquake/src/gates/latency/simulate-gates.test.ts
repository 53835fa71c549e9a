import { expect, test } from 'vitest';
import { NOISE } from './noise-model.js';
import { simulateGates } from './simulate-gates.js';

const tables = () => [...simulateGates({ model: NOISE.usual, trials: 20, seed: 3 })];

test('the same seed tells the same rates, and they order the gates as they are', () => {
  const rows = tables();
  expect(tables()).toEqual(rows);
  const shareOf = (start: string, column: string): number => rows.find(({ gate }) => gate.startsWith(start))!.rates[column]!.share;
  expect(shareOf('Mann-Whitney', 'no change')).toBeGreaterThan(0.1);
  expect(shareOf('paired, two stages, alpha .002', 'no change')).toBeLessThan(0.05);
  expect(shareOf('paired, two stages, alpha .002', 'x1.5')).toBeGreaterThan(0.9);
  expect(shareOf('ratio: P95', 'x1.5')).toBeLessThan(0.7);
});
