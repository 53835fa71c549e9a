import { expect, test } from 'vitest';
import type { Cell, Comparison } from '../digest/comparison.js';
import { panelsOf } from './sweep-panels.js';

/** Every combination of the values, with a failed share that grows with their product. */
function comparisonOf(swept: Readonly<Record<string, readonly (number | string)[]>>): Comparison {
  const points = Object.entries(swept).reduce<Record<string, number | string>[]>(
    (all, [key, values]) => all.flatMap((point) => values.map((value) => ({ ...point, [key]: value }))),
    [{}],
  );
  const cells = points.map((point) => {
    const mean = Object.values(point).reduce<number>((product, value) => product * (typeof value === 'number' ? value : 1), 1);
    // Panels look at the point and at the damage, and at nothing else of a cell.
    return { point, blastRadius: { mean } } as unknown as Cell;
  });
  return { keys: Object.keys(swept), cells } as unknown as Comparison;
}
const shown = (swept: Readonly<Record<string, readonly (number | string)[]>>): readonly string[] =>
  panelsOf(comparisonOf(swept)).map(({ key, fixed, cells }) => `${key} at ${fixed}: ${cells.length}`);

test('draws along the key with the most values, and along the others where the damage is largest', () => {
  expect(shown({ rate: [0.01, 0.02, 0.05], fanout: [1, 2, 4, 8] })).toEqual([
    'fanout at rate 0.01: 4',
    'fanout at rate 0.02: 4',
    'fanout at rate 0.05: 4',
    'rate at fanout 8: 3',
  ]);
});

test('draws nothing along words, or along a key with one value', () => {
  expect(shown({ mode: ['a', 'b', 'c'], fanout: [3] })).toEqual([]);
});

test('never draws more than six panels', () => {
  expect(shown({ a: [1, 2, 3, 4, 5, 6, 7, 8], b: [1, 2, 3, 4, 5, 6, 7, 8, 9] })).toHaveLength(6);
});
