/** Bars with intervals: the name above, the bar below, the figure behind it. */
import type { Drawing } from './curve-plot.js';
import type { Estimate } from '../digest/estimate.js';
import { niceStep } from './scale.js';
import { element, fitted, line, tip, widthOf, words } from './svg.js';

/** One bar. */
export type Bar = { readonly name: string; readonly tone: number; readonly estimate: Estimate };

/** What is drawn. */
export type BarPlotOptions = {
  readonly width: number;
  readonly bars: readonly Bar[];
  readonly label: (value: number | undefined) => string;
};

const ROW = 42;

/** Draws it. */
export function barPlot({ width, bars, label }: BarPlotOptions): Drawing {
  const most = bars.reduce((high, { estimate }) => Math.max(high, estimate.mean ?? 0, estimate.interval?.high ?? 0), 0);
  const top = most === 0 ? 1 : niceStep(most);
  const figureRoom = Math.max(...bars.map(({ estimate }) => widthOf(label(estimate.mean), 13)), 40) + 12;
  // Up to the longest bar, not to the next round number: there is no axis to keep to.
  const reach = (value: number): number => (Math.max(0, value) / (most === 0 ? top : most)) * (width - figureRoom);
  const markup = bars.map(({ name, tone, estimate: { mean, interval } }, index) => {
    const y = index * ROW;
    const about = `${name}: ${label(mean)}${interval === undefined ? '' : ` (${label(interval.low)} to ${label(interval.high)})`}`;
    const end = Math.max(reach(mean ?? 0), interval === undefined ? 0 : reach(interval.high));
    return element(
      'g',
      { class: `t${tone % 6}` },
      tip(about),
      words(0, y + 13, fitted(name, width - 4), { class: 'name' }),
      element('rect', { x: 0, y: y + 20, width: Math.max(mean === undefined ? 0 : 1, reach(mean ?? 0)), height: 14, rx: 2, class: 'bar' }),
      ...(interval === undefined || interval.high === interval.low ? [] : whisker(reach(interval.low), reach(interval.high), y + 27)),
      words(end + 8, y + 32, label(mean), { class: 'figure' }),
    );
  });
  return { markup: markup.join(''), height: bars.length * ROW };
}

function whisker(from: number, to: number, y: number): readonly string[] {
  const style = { class: 'whisker over' };
  return [line(from, y, to, y, style), line(from, y - 4, from, y + 4, style), line(to, y - 4, to, y + 4, style)];
}
