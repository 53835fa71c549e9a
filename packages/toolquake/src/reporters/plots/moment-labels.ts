/** Names of moments above a plot, each with a line through it. */
import { duration } from '../figures.js';
import type { Scale } from './scale.js';
import { element, fitted, line, tip, widthOf, words } from './svg.js';

/** A moment worth a name. `tone` is its colour. */
export type MomentLabel = { readonly atMs: number; readonly label: string; readonly tone: number; readonly isStrong?: boolean };

/** The labels, placed: how high they are together, and their markup once it is known where the plot ends. */
export type PlacedLabels = { readonly height: number; markup(bottom: number): string };

const MAX_LABELS = 8;
const LABEL_ROW = 15;
/** Between a line and its label, and behind it. */
const BESIDE = 12;

/** Labels in as many rows as it takes for none to touch another. */
export function placedLabels(given: readonly MomentLabel[], across: Scale, right: number): PlacedLabels {
  const all = [...given].sort((a, b) => a.atMs - b.atMs).slice(0, MAX_LABELS);
  const rowEnds: number[] = [];
  const placed = all.map((one) => {
    const x = across.at(Math.min(one.atMs, across.high));
    // To the right of its line; to the left where the page ends and there is more room; cut where there is too little.
    const isLeft = x + widthOf(one.label) + BESIDE > right && x > right - x;
    const text = fitted(one.label, (isLeft ? x : right - x) - BESIDE);
    const width = widthOf(text) + BESIDE;
    const start = isLeft ? Math.max(0, x - width) : x;
    // Below every row whose label its line would cross.
    const row = rowEnds.findLastIndex((end) => end >= start) + 1;
    rowEnds[row] = start + width;
    return { ...one, x, text, isLeft, row };
  });
  return {
    height: rowEnds.length * LABEL_ROW,
    markup: (bottom) =>
      placed
        .map(({ x, text, isLeft, row, tone, isStrong, atMs, label }) =>
          element(
            'g',
            { class: `t${tone} moment` },
            tip(`${label}, after ${duration(atMs)}`),
            line(x, row * LABEL_ROW + 3, x, bottom, { class: isStrong === true ? 'event strong' : 'event' }),
            words(isLeft ? x - 5 : x + 5, row * LABEL_ROW + 12, text, { class: 'label', 'text-anchor': isLeft ? 'end' : 'start' }),
          ),
        )
        .join(''),
  };
}
