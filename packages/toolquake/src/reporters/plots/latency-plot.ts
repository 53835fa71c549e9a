/** Latency as ranges: a mark at p50, p95 and p99, a thin line to the slowest. */
import type { Percentiles } from '../digest/percentiles.js';
import { duration } from '../figures.js';
import { bottomAxis } from './axes.js';
import type { Drawing } from './curve-plot.js';
import { rangeScale } from './scale.js';
import { element, fitted, line, tip, widthOf, words } from './svg.js';

/** One row; rows of the same group stand under one name. */
export type LatencyRow = { readonly group: string; readonly name: string; readonly tone: number; readonly latency: Percentiles };

const ROW = 26;
const GROUP = 32;

/** Draws it. */
export function latencyPlot({ width, rows }: { width: number; rows: readonly LatencyRow[] }): Drawing {
  const left = Math.min(width * 0.36, Math.max(...rows.map(({ name, group }) => widthOf(name === '' ? group : name)), 40) + 16);
  const values = rows.flatMap(({ latency }) => [latency.p50 ?? 0, latency.p99 ?? 0, latency.max ?? 0]);
  const scale = rangeScale({ values, from: left, to: width - 18, ticks: 5 });
  let y = 28;
  let group: string | undefined;
  const lanes: string[] = [];
  for (const row of rows) {
    if (row.name !== '' && row.group !== group) {
      lanes.push(words(0, y + 22, fitted(row.group, width), { class: 'name' }));
      y += GROUP;
    }
    group = row.group;
    lanes.push(lane(row, { y: y + ROW / 2, left, right: width - 18, at: (value) => scale.at(value) }));
    y += ROW;
  }
  const frame = { left, top: 24, right: width - 18, bottom: y + 4 };
  const grid = scale.ticks.map((tick) => line(scale.at(tick), frame.top, scale.at(tick), frame.bottom, { class: 'grid' }));
  const key = ['p50', 'p95', 'p99'].map((name, index) => keyMark(left + index * 64, name, index));
  const axis = bottomAxis(frame, scale, { title: scale.isLog ? 'latency (logarithmic)' : 'latency', label: duration });
  return { markup: [...grid, axis, ...lanes, ...key, words(left + 192, 12, 'line: to the slowest')].join(''), height: y + 48 };
}

function keyMark(x: number, name: string, index: number): string {
  return element('g', { class: 't5' }, dot(x + 5, 8, index), words(x + 15, 12, name));
}

/** The median is full, the tail is open. */
function dot(x: number, y: number, index: number): string {
  return element('circle', { cx: x, cy: y, r: index === 0 ? 5 : 4, class: index === 0 ? 'mark' : index === 1 ? 'mark half' : 'mark open' });
}

type Place = { readonly y: number; readonly left: number; readonly right: number; at(value: number): number };

function lane({ group, name, tone, latency }: LatencyRow, { y, left, at }: Place): string {
  const { p50, p95, p99, max, count } = latency;
  const label = words(left - 10, y + 4, fitted(name === '' ? group : name, left - 12), { 'text-anchor': 'end' });
  if (p50 === undefined || p95 === undefined || p99 === undefined || max === undefined) return element('g', {}, label);
  const about = `${name === '' ? group : `${group}, ${name}`}: p50 ${duration(p50)}, p95 ${duration(p95)}, p99 ${duration(p99)}, slowest ${duration(max)}, ${count} calls`;
  return element(
    'g',
    { class: `t${tone % 6}` },
    tip(about),
    label,
    line(at(p99), y, at(max), y, { class: 'whisker' }),
    line(at(max), y - 4, at(max), y + 4, { class: 'whisker' }),
    line(at(p50), y, at(p99), y, { class: 'span' }),
    ...[p50, p95, p99].map((value, index) => dot(at(value), y, index)).toReversed(),
  );
}
