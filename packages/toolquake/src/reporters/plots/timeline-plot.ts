/** A run over time: what share failed, how slow it was, what the caller did about it, and what was done to it. */
import type { Moment } from '../digest/happenings.js';
import type { TimelinePoint } from '../digest/timeline.js';
import { duration, percent } from '../figures.js';
import type { TimelineRecord } from '../journal-digest.js';
import { bottomAxis, leftAxis, spreadLabels, type Frame } from './axes.js';
import type { Drawing } from './curve-plot.js';
import { placedLabels, type MomentLabel } from './moment-labels.js';
import { linearScale, rangeScale, timeScale, type Scale } from './scale.js';
import { element, fitted, path, tip, widthOf, words } from './svg.js';

/** One curve of a panel. */
type Trace = {
  readonly name: string;
  readonly tone: number;
  readonly isDashed?: boolean;
  readonly valueOf: (point: TimelinePoint) => number | undefined;
};

/** One panel; all share the time. */
type Panel = {
  readonly title: string;
  readonly traces: readonly Trace[];
  readonly label: (value: number) => string;
  readonly isShare?: boolean;
  /** Latencies span powers of ten; counts have zeros, which a logarithm has no place for. */
  readonly mayBeLog?: boolean;
  readonly height: number;
};

const LANE = 16;

const FAILED: Trace = { name: 'failed', tone: 0, valueOf: ({ failedShare }) => failedShare };
const P50: Trace = { name: 'p50', tone: 5, isDashed: true, valueOf: ({ p50Ms }) => p50Ms };
const P99: Trace = { name: 'p99', tone: 1, valueOf: ({ p99Ms }) => p99Ms };
const RETRIES: Trace = { name: 'retries', tone: 3, valueOf: ({ retriesPerSecond }) => retriesPerSecond };
const REFUSED: Trace = { name: 'refused', tone: 2, isDashed: true, valueOf: ({ refusedPerSecond }) => refusedPerSecond };
const CALLS: Trace = { name: 'calls', tone: 5, valueOf: ({ callsPerSecond }) => callsPerSecond };

const plainNumber = (value: number): string => String(Number(value.toPrecision(3)));

function panelsOf(points: readonly TimelinePoint[]): readonly Panel[] {
  const knowsRetries = points.some(({ retriesPerSecond }) => retriesPerSecond !== undefined);
  return [
    { title: 'share that failed', traces: [FAILED], label: percent, isShare: true, height: 92 },
    { title: 'latency', traces: [P50, P99], label: duration, mayBeLog: true, height: 92 },
    knowsRetries
      ? { title: 'calls, retries and refusals per second', traces: [CALLS, RETRIES, REFUSED], label: plainNumber, height: 84 }
      : { title: 'calls per second', traces: [CALLS], label: plainNumber, height: 60 },
  ];
}

/** What is drawn. `peers` share its scales, so that they can be compared; it is one of them. */
export type TimelinePlotOptions = { readonly width: number; readonly timeline: TimelineRecord; readonly peers: readonly TimelineRecord[] };

/** Draws it. */
export function timelinePlot({ width, timeline, peers }: TimelinePlotOptions): Drawing {
  const { points, disturbances } = timeline;
  const [left, right] = [62, width - 62];
  const across = timeScale({
    low: 0,
    high: Math.max(timeline.lastMs, ...points.map(({ toMs }) => Math.min(toMs, timeline.lastMs))),
    from: left,
    to: right,
  });
  const labels = placedLabels(labelsOf(timeline), across, width);
  const top = labels.height + 6;
  const rules = [...new Set(points.flatMap(({ faults }) => [...faults.keys()]))];
  const parts: string[] = [];
  let y = top;
  for (const panel of points.length === 0 ? [] : panelsOf(points)) {
    const frame: Frame = { left, top: y + 36, right, bottom: y + 36 + panel.height };
    parts.push(panelMarkup(panel, points, { frame, across, all: peers.flatMap((peer) => peer.points) }));
    y = frame.bottom;
  }
  if (rules.length > 0) {
    y += 30;
    parts.push(words(0, y, 'faults delivered', { class: 'name' }));
    parts.push(...rules.map((rule, index) => laneMarkup(rule, points, { y: y + 8 + index * LANE, left, right, across })));
    y += 8 + rules.length * LANE;
  }
  const frame: Frame = { left, top, right, bottom: y + 4 };
  const shades = disturbances.map(({ what, from, to, sinceMs, untilMs }) => {
    const [start, end] = [across.at(sinceMs), across.at(Math.min(untilMs ?? across.high, across.high))];
    const about = `${what}: ${from} to ${to}, ${duration(sinceMs)} to ${untilMs === undefined ? 'the end' : duration(untilMs)}`;
    return element('rect', { x: start, y: top, width: Math.max(1, end - start), height: frame.bottom - top, class: 'shade' }, tip(about));
  });
  const axis = bottomAxis(frame, across, { title: 'time since the start', label: duration });
  return { markup: [...shades, ...parts, axis, labels.markup(frame.bottom)].join(''), height: y + 46 };
}

type Place = { readonly frame: Frame; readonly across: Scale; readonly all: readonly TimelinePoint[] };

function panelMarkup(
  { title, traces, label, isShare, mayBeLog }: Panel,
  points: readonly TimelinePoint[],
  { frame, across, all }: Place,
): string {
  const values = traces.flatMap((trace) => all.map(trace.valueOf)).filter((value): value is number => value !== undefined);
  const ends = { from: frame.bottom, to: frame.top };
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  const up =
    mayBeLog === true
      ? rangeScale({ values, ...ends, ticks: 2 })
      : { ...linearScale({ low: 0, high: most === 0 ? 1 : most, ...ends, ticks: 2 }), isLog: false };
  const xOf = ({ fromMs, toMs }: TimelinePoint): number => across.at(Math.min(across.high, (fromMs + toMs) / 2));
  const drawn = traces.map((trace) => {
    const places = points.map((point): [number, number] | undefined => {
      const value = trace.valueOf(point);
      return value === undefined ? undefined : [xOf(point), up.at(value)];
    });
    const dash = trace.isDashed === true ? '6 3' : undefined;
    return element(
      'g',
      { class: `t${trace.tone}` },
      ...(isShare === true ? [area(places, frame.bottom)] : []),
      path(places, { class: 'curve thin', 'stroke-dasharray': dash }),
    );
  });
  return [
    leftAxis(frame, up, { title: up.isLog ? `${title} (logarithmic)` : title, label }),
    ...drawn,
    ...(traces.length > 1 ? names(traces, points, { frame, up }) : []),
  ].join('');
}

function area(places: readonly ([number, number] | undefined)[], bottom: number): string {
  const known = places.filter((place): place is [number, number] => place !== undefined);
  const [first, last] = [known[0], known.at(-1)];
  return first === undefined || last === undefined ? '' : path([[first[0], bottom], ...known, [last[0], bottom]], { class: 'area' });
}

/** Names behind the last value of each curve, moved apart. */
function names(traces: readonly Trace[], points: readonly TimelinePoint[], { frame, up }: { frame: Frame; up: Scale }): readonly string[] {
  const ends = traces.map((trace) => ({
    trace,
    height: 15,
    y: up.at(points.map(trace.valueOf).findLast((value) => value !== undefined) ?? up.low),
  }));
  return spreadLabels(ends, { top: frame.top - 8, bottom: frame.bottom + 9 }).map(({ trace, placedY }) =>
    words(frame.right + 6, placedY + 11, trace.name, { class: `label t${trace.tone}` }),
  );
}

type LanePlace = { readonly y: number; readonly left: number; readonly right: number; readonly across: Scale };

/** When a rule fired, and by its strength how often. */
function laneMarkup(rule: string, points: readonly TimelinePoint[], { y, left, right, across }: LanePlace): string {
  const most = points.reduce((high, { faults }) => Math.max(high, faults.get(rule) ?? 0), 1);
  const ticks = points.flatMap(({ fromMs, toMs, faults }) => {
    const count = faults.get(rule);
    if (count === undefined) return [];
    const [start, end] = [across.at(fromMs), across.at(Math.min(toMs, across.high))];
    const about = `${rule}: ${count} from ${duration(fromMs)} to ${duration(toMs)}`;
    const strength = (0.35 + (0.65 * count) / most).toFixed(2);
    return [
      element(
        'rect',
        { x: start, y: y + 2, width: Math.max(1.5, end - start - 0.5), height: LANE - 6, class: 'tick', opacity: strength },
        tip(about),
      ),
    ];
  });
  const total = points.reduce((sum, { faults }) => sum + (faults.get(rule) ?? 0), 0);
  const room = Math.max(60, right - left - 8);
  const name = fitted(rule, room, 11);
  // The name stands on its own lane, where nothing was delivered yet, or else behind a veil.
  const nameWidth = widthOf(name, 11) + 8;
  return element(
    'g',
    { class: 't0' },
    element('rect', { x: left, y: y + 2, width: right - left, height: LANE - 6, class: 'lane' }),
    ...ticks,
    element('rect', { x: left, y: y + 1, width: nameWidth, height: LANE - 4, class: 'veil' }),
    words(left + 3, y + 11, name, { class: 'small' }),
    words(right + 6, y + 11, String(total), { class: 'small' }),
  );
}

/** The same mark over and over is labelled once, with how often it was made. */
function firstOfEach(moments: readonly Moment[]): readonly Moment[] {
  const byLabel = new Map<string, { first: Moment; count: number }>();
  for (const moment of moments) {
    const held = byLabel.get(moment.label);
    if (held === undefined) byLabel.set(moment.label, { first: moment, count: 1 });
    else held.count++;
  }
  return [...byLabel.values()].map(({ first, count }) => (count === 1 ? first : { ...first, label: `${first.label}, ${count} times` }));
}

function labelsOf({ disturbances, moments }: TimelineRecord): readonly MomentLabel[] {
  return [
    ...disturbances.map(({ what, from, to, sinceMs }) => ({ atMs: sinceMs, label: `${what}: ${from} → ${to}`, tone: 4 })),
    ...firstOfEach(moments).map(({ atMs, label, kind }) => ({
      atMs,
      label,
      tone: kind === 'sequence' ? 0 : 5,
      isStrong: kind === 'sequence',
    })),
  ];
}
