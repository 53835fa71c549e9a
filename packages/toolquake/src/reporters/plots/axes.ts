/** Axes: few lines, round numbers, units in the title. */
import type { Scale } from './scale.js';
import { element, line, widthOf, words } from './svg.js';

/** The inside of a plot. */
export type Frame = { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };

/** Ticks that do not touch each other. */
function roomy(ticks: readonly number[], scale: Scale, label: (value: number) => string): readonly number[] {
  let end = -Infinity;
  const fromTheLeft = [...ticks].sort((a, b) => scale.at(a) - scale.at(b));
  return fromTheLeft.filter((tick) => {
    const half = widthOf(label(tick)) / 2;
    const isFree = scale.at(tick) - half > end + 6;
    if (isFree) end = scale.at(tick) + half;
    return isFree;
  });
}

/** The axis below, with its title in the middle. */
export function bottomAxis(
  frame: Frame,
  scale: Scale,
  options: { title?: string; label: (value: number) => string; ticks?: readonly number[] },
): string {
  const { left, right, bottom } = frame;
  const ticks = roomy(options.ticks ?? scale.ticks, scale, options.label);
  return element(
    'g',
    { class: 'axis' },
    line(left, bottom, right, bottom, { class: 'base' }),
    ...ticks.flatMap((tick) => [
      line(scale.at(tick), bottom, scale.at(tick), bottom + 4, { class: 'base' }),
      words(scale.at(tick), bottom + 17, options.label(tick), { 'text-anchor': 'middle' }),
    ]),
    ...(options.title === undefined
      ? []
      : [words((left + right) / 2, bottom + 36, options.title, { 'text-anchor': 'middle', class: 'name' })]),
  );
}

/** The axis to the left as grid lines, with its title above them. */
export function leftAxis(frame: Frame, scale: Scale, options: { title?: string; label: (value: number) => string }): string {
  const { left, right, top } = frame;
  return element(
    'g',
    { class: 'axis' },
    ...scale.ticks.flatMap((tick) => [
      line(left, scale.at(tick), right, scale.at(tick), { class: 'grid' }),
      words(left - 7, scale.at(tick) + 4, options.label(tick), { 'text-anchor': 'end' }),
    ]),
    ...(options.title === undefined ? [] : [words(0, top - 12, options.title, { class: 'name' })]),
  );
}

/** Labels at given heights, moved apart so that none covers another. */
export function spreadLabels<Label extends { readonly y: number; readonly height: number }>(
  labels: readonly Label[],
  { top, bottom }: Pick<Frame, 'top' | 'bottom'>,
): readonly (Label & { readonly placedY: number })[] {
  const sorted = [...labels].sort((a, b) => a.y - b.y);
  let free = top;
  const placed = sorted.map((label) => {
    const placedY = Math.max(free, label.y - label.height / 2);
    free = placedY + label.height;
    return { ...label, placedY };
  });
  // Pushed out at the bottom: back up, as far as the neighbours allow.
  let limit = bottom;
  for (const label of placed.toReversed()) {
    label.placedY = Math.min(label.placedY, limit - label.height);
    limit = label.placedY;
  }
  return placed;
}
