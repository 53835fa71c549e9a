/** Which curves to draw: one panel per swept key and per value of the other keys. */
import { pointText, type Cell, type Comparison } from '../digest/comparison.js';

/** Cells along one key, in order of its values; the other keys have one value each. */
export type SweepPanel = { readonly key: string; readonly fixed: string; readonly cells: readonly Cell[] };

const MAX_PANELS = 6;

/** Panels with the most points first wanted: a curve through two points says little. */
export function panelsOf({ keys, cells }: Comparison): readonly SweepPanel[] {
  const all = keys
    .filter((key) => cells.every(({ point }) => typeof point[key] === 'number'))
    .flatMap((key) => panelsAlong(key, keys, cells));
  const most = all.reduce((high, panel) => Math.max(high, valuesOf(panel)), 0);
  return all.filter((panel) => valuesOf(panel) >= Math.min(3, most) && valuesOf(panel) > 1).slice(0, MAX_PANELS);
}

const valuesOf = ({ key, cells }: SweepPanel): number => new Set(cells.map(({ point }) => point[key])).size;

function panelsAlong(key: string, keys: readonly string[], cells: readonly Cell[]): readonly SweepPanel[] {
  const byRest = new Map<string, Cell[]>();
  for (const cell of cells) {
    const rest = Object.fromEntries(keys.filter((other) => other !== key).map((other) => [other, cell.point[other] ?? '']));
    const fixed = pointText(rest);
    byRest.set(fixed, [...(byRest.get(fixed) ?? []), cell]);
  }
  return [...byRest].map(([fixed, own]) => ({ key, fixed, cells: own.sort((a, b) => Number(a.point[key]) - Number(b.point[key])) }));
}
