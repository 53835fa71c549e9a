/** Which curves to draw: one panel per swept key and per value of the other keys. */
import { pointText, type Cell, type Comparison } from '../digest/comparison.js';

/** Cells along one key, in order of its values; the other keys have one value each. */
export type SweepPanel = { readonly key: string; readonly fixed: string; readonly cells: readonly Cell[] };

const MAX_PANELS = 6;

/**
 * All panels along the key with the most values, because a curve through many points says the most; along every other key
 * the one panel where the damage is largest.
 */
export function panelsOf({ keys, cells }: Comparison): readonly SweepPanel[] {
  const along = keys
    .filter((key) => cells.every(({ point }) => typeof point[key] === 'number'))
    .map((key) => panelsAlong(key, keys, cells).filter((panel) => valuesOf(panel) > 1))
    .filter((panels) => panels.length > 0)
    .toSorted((a, b) => mostValues(b) - mostValues(a));
  const [first = [], ...others] = along;
  const telling = others.filter((panels) => mostValues(panels) >= Math.min(3, mostValues(first)));
  const worst = telling.map((panels) => panels.toSorted((a, b) => damageOf(b) - damageOf(a))[0]!);
  return [...first.slice(0, Math.max(1, MAX_PANELS - worst.length)), ...worst].slice(0, MAX_PANELS);
}

const mostValues = (panels: readonly SweepPanel[]): number => Math.max(0, ...panels.map(valuesOf));
const damageOf = ({ cells }: SweepPanel): number => Math.max(...cells.map(({ blastRadius }) => blastRadius.mean ?? 0));

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
