/** A run of an experiment over time: phases, faults, how calls of both lanes fared, probes, and how long what took. */
import { duration, percent } from '../figures.js';
import type { RunDigest } from '../run/run-digest.js';
import { isFault } from '../run/run-figures.js';
import type { LanePoint, SeriesPoint } from '../run/series-book.js';
import { bottomAxis, leftAxis, spreadLabels, type Frame } from './axes.js';
import type { Drawing } from './curve-plot.js';
import { placedLabels, type MomentLabel } from './moment-labels.js';
import { linearScale, rangeScale, timeScale, type Scale } from './scale.js';
import { element, fitted, line, path, tip, widthOf, words } from './svg.js';

/** Faulted calls are warm and drawn through; control calls are cold and dashed: two ways to tell them apart. */
export const LANE_LOOKS = { faulted: { tone: 0, dash: undefined }, control: { tone: 1, dash: '6 3' } } as const;

type Trace = {
  readonly name: string;
  readonly tone: number;
  readonly dash: string | undefined;
  readonly points: readonly (readonly [ms: number, value: number])[];
};

type Panel = {
  readonly title: string;
  readonly traces: readonly Trace[];
  readonly label: (value: number) => string;
  readonly isShare?: boolean;
};

const PANEL_HEIGHT = 92;
const PANEL_GAP = 44;
const BAND = 20;
const SPAN_ROW = 20;

/** Draws it. */
export function runPlot({ width, digest }: { readonly width: number; readonly digest: RunDigest }): Drawing {
  const { lastMs } = digest;
  const [left, right] = [62, width - 62];
  const across = timeScale({ low: 0, high: Math.max(1, lastMs), from: left, to: right, ticks: width < 600 ? 4 : 6 });
  const labels = placedLabels(momentsOf(digest), across, width);
  const parts: string[] = [];
  let y = labels.height + 10;
  const spans = spansOf(digest);
  parts.push(...spans.map((span, index) => spanMarkup(span, across, y + index * SPAN_ROW, width)));
  y += spans.length * SPAN_ROW + 4;
  parts.push(...bandOfPhases(digest, across, y));
  const shadeTop = y;
  y += BAND;
  const [stretch] = digest.points;
  const gapMs = Math.max(lastMs * MAX_GAP_SHARE, stretch === undefined ? 0 : 2.5 * (stretch.toMs - stretch.fromMs));
  for (const panel of panelsOf(digest)) {
    const frame: Frame = { left, top: y + PANEL_GAP, right, bottom: y + PANEL_GAP + PANEL_HEIGHT };
    parts.push(panelMarkup(panel, frame, across, gapMs));
    y = frame.bottom;
  }
  const strips = stripsOf(digest);
  if (strips.length > 0) y += 14;
  for (const strip of strips) {
    parts.push(stripMarkup(strip, across, { y: y + 12, left, right }));
    y += 36;
  }
  const bottom = y + 6;
  const axis = bottomAxis({ left, top: 0, right, bottom }, across, { title: 'time since the start of the run', label: duration });
  return { markup: [...shades(digest, across, shadeTop, bottom), labels.markup(bottom), ...parts, axis].join(''), height: bottom + 42 };
}

/** When each fault was at work. */
function shades({ actions, lastMs }: RunDigest, across: Scale, top: number, bottom: number): readonly string[] {
  return actions.flatMap(({ id, action, blast, onMs, offMs }) => {
    if (onMs === undefined || !isFault({ blast })) return [];
    const [start, end] = [across.at(onMs), across.at(Math.max(onMs, offMs ?? lastMs))];
    const about = `${id} (${action}): ${duration(onMs)} to ${offMs === undefined ? 'the end, not proved to be gone' : duration(offMs)}`;
    return [element('rect', { x: start, y: top, width: Math.max(1.5, end - start), height: bottom - top, class: 'shade' }, tip(about))];
  });
}

function momentsOf({ moments, trips, stops, actions }: RunDigest): readonly MomentLabel[] {
  const { faultOnMs, faultOffMs, alertMs, steadyAgainMs } = moments;
  const at = (atMs: number | undefined, label: string, tone: number): readonly MomentLabel[] =>
    atMs === undefined ? [] : [{ atMs, label, tone, isStrong: true }];
  const faults = actions.filter(isFault);
  return [
    ...at(faultOnMs, faults.length === 1 ? `fault on: ${faults[0]!.action}` : 'fault on', 0),
    ...at(alertMs, 'alert', 3),
    ...at(trips.list[0]?.atMs, 'tripwire', 4),
    ...at(stops.list[0]?.atMs, 'stopped', 4),
    ...at(faultOffMs, 'fault off', 5),
    ...at(steadyAgainMs, 'steady again', 2),
  ];
}

type Span = { readonly name: string; readonly fromMs: number; readonly toMs: number; readonly tone: number };

function spansOf({ moments, figures }: RunDigest): readonly Span[] {
  const { begunMs, faultOnMs, faultOffMs, alertMs, healedMs, recoveredMs } = moments;
  const span = (name: string, from: number | undefined, to: number | undefined, ms: number | null, tone: number): readonly Span[] =>
    from === undefined || to === undefined || ms === null
      ? []
      : [{ name: `${name} ${duration(ms)}`, fromMs: from, toMs: Math.max(from, to), tone }];
  return [
    ...span('MTTD', begunMs, alertMs, figures.mttdMs, 3),
    ...span('MTTR', begunMs, healedMs, figures.mttrMs, 2),
    ...span('recovery', faultOnMs === undefined ? undefined : faultOffMs, recoveredMs, figures.recoveryMs, 2),
  ];
}

/** How long something took: a bar with ends, named beside it. */
function spanMarkup({ name, fromMs, toMs, tone }: Span, across: Scale, top: number, width: number): string {
  const [from, to, y] = [across.at(fromMs), across.at(toMs), top + 10];
  const room = widthOf(name) + 10;
  const isRight = to + room <= width;
  // Beside the bar where there is room; else before it.
  const place = isRight ? { x: to + 7, anchor: 'start' } : { x: from - 7, anchor: 'end' };
  return element(
    'g',
    { class: `t${tone}` },
    tip(`${name}: ${duration(fromMs)} to ${duration(toMs)}`),
    line(from, y, to, y, { class: 'measure' }),
    line(from, y - 5, from, y + 5, { class: 'measure' }),
    line(to, y - 5, to, y + 5, { class: 'measure' }),
    words(place.x, y + 4, name, { class: 'label', 'text-anchor': place.anchor }),
  );
}

function bandOfPhases({ phases }: RunDigest, across: Scale, top: number): readonly string[] {
  return phases.map(({ phase, fromMs, toMs }, index) => {
    const [start, end] = [across.at(fromMs), across.at(toMs)];
    const isRoomy = widthOf(phase, 11) + 8 <= end - start;
    return element(
      'g',
      { class: 't5' },
      element(
        'rect',
        { x: start, y: top, width: Math.max(0.5, end - start), height: BAND, class: index % 2 === 0 ? 'phase' : 'phase odd' },
        tip(`${phase}: ${duration(fromMs)} to ${duration(toMs)}`),
      ),
      ...(isRoomy ? [words((start + end) / 2, top + 14, fitted(phase, end - start, 11), { class: 'small', 'text-anchor': 'middle' })] : []),
    );
  });
}

function panelsOf({ points, lanes, probes }: RunDigest): readonly Panel[] {
  const middle = ({ fromMs, toMs }: SeriesPoint): number => (fromMs + toMs) / 2;
  const pick = (valueOf: (point: SeriesPoint) => number | undefined): Trace['points'] =>
    points.flatMap((point) => {
      const value = valueOf(point);
      return value === undefined ? [] : [[middle(point), value] as const];
    });
  const traces = (valueOf: (lane: LanePoint) => number | undefined): readonly Trace[] =>
    (['control', 'faulted'] as const)
      .filter((lane) => lanes[lane].calls > 0)
      .map((lane) => ({ name: lane, ...LANE_LOOKS[lane], points: pick((point) => valueOf(point.lanes[lane])) }));
  const calls: readonly Panel[] =
    lanes.control.calls + lanes.faulted.calls === 0
      ? []
      : [
          { title: 'share of calls that failed', traces: traces(({ failedShare }) => failedShare), label: percent, isShare: true },
          { title: 'p95 of calls', traces: traces(({ p95Ms }) => p95Ms), label: duration },
        ];
  const probe: readonly Panel[] =
    probes.probes === 0
      ? []
      : [
          {
            title: 'time of a probe',
            traces: [{ name: 'probe', tone: 5, dash: '2 3', points: pick(({ probeP95Ms }) => probeP95Ms) }],
            label: duration,
          },
        ];
  return [...calls, ...probe];
}

function panelMarkup({ title, traces, label, isShare }: Panel, frame: Frame, across: Scale, gapMs: number): string {
  const values = traces.flatMap(({ points }) => points.map(([, value]) => value));
  const ends = { from: frame.bottom, to: frame.top };
  const most = values.reduce((high, value) => Math.max(high, value), 0);
  const up =
    isShare === true
      ? { ...linearScale({ low: 0, high: most === 0 ? 1 : Math.min(1, most * 1.05), ...ends, ticks: 2 }), isLog: false }
      : rangeScale({ values, ...ends, ticks: 2 });
  const drawn = traces.map(({ tone, dash, points }) =>
    element('g', { class: `t${tone}` }, ...piecesOf(points, gapMs).map((piece) => pieceMarkup(piece, across, up, dash))),
  );
  const names = spreadLabels(
    traces.map((trace) => ({ ...trace, height: 15, y: up.at(trace.points.at(-1)?.[1] ?? up.low) })),
    { top: frame.top - 8, bottom: frame.bottom + 9 },
  ).map(({ name, tone, placedY }) => words(frame.right + 6, placedY + 11, name, { class: `label t${tone}` }));
  return [leftAxis(frame, up, { title: up.isLog ? `${title} (logarithmic)` : title, label }), ...drawn, ...names].join('');
}

/** A gap of more than this share of the run, and of more than two stretches of it, is a gap and not a line. */
const MAX_GAP_SHARE = 0.06;

/** Fewer points than these do not say how far apart they usually are. */
const MIN_USUAL = 5;

function piecesOf(points: Trace['points'], leastMs: number): readonly Trace['points'][] {
  // What is seen once a minute has no gap between two minutes.
  const apart = points.slice(1).map(([ms], index) => ms - (points[index]?.[0] ?? ms));
  const usualMs = apart.length < MIN_USUAL ? 0 : (apart.toSorted((one, other) => one - other)[apart.length >> 1] ?? 0);
  const gapMs = Math.max(leastMs, 2 * usualMs);
  const pieces: (readonly [number, number])[][] = [];
  for (const point of points) {
    const last = pieces.at(-1);
    const before = last?.at(-1);
    if (last === undefined || before === undefined || point[0] - before[0] > gapMs) pieces.push([point]);
    else last.push(point);
  }
  return pieces;
}

/** A line, or a dot where it would have no length. */
function pieceMarkup(piece: Trace['points'], across: Scale, up: Scale, dash: string | undefined): string {
  const places = piece.map(([ms, value]) => [across.at(Math.min(across.high, ms)), up.at(value)] as const);
  const [first] = places;
  if (first !== undefined && places.length === 1) return element('circle', { cx: first[0], cy: first[1], r: 2.4, class: 'fill' });
  return path(places, { class: 'curve thin', 'stroke-dasharray': dash });
}

type Strip = {
  readonly title: string;
  readonly tone: number;
  readonly good: string;
  readonly bad: string;
  readonly points: readonly (readonly [SeriesPoint, share: number])[];
};

/** Probes and looks at the steady state: of each stretch, how much of it was bad. */
function stripsOf({ points }: RunDigest): readonly Strip[] {
  const strip = (
    title: string,
    words: readonly [good: string, bad: string],
    all: keyof SeriesPoint & ('probes' | 'looks'),
    bad: 'down' | 'unsteady',
  ): Strip => ({
    title,
    tone: 0,
    good: words[0],
    bad: words[1],
    points: points.flatMap((point) => (point[all] === 0 ? [] : [[point, point[bad] / point[all]] as const])),
  });
  return [
    strip('probes that found it down', ['up', 'down'], 'probes', 'down'),
    strip('steady state broken', ['steady', 'not steady'], 'looks', 'unsteady'),
  ].filter(({ points: own }) => own.length > 0);
}

function stripMarkup(
  { title, good, bad, points }: Strip,
  across: Scale,
  { y, left, right }: { y: number; left: number; right: number },
): string {
  const marks = points.map(([{ fromMs, toMs }, share]) => {
    const [start, end] = [across.at(fromMs), across.at(Math.min(toMs, across.high))];
    const about = `${duration(fromMs)} to ${duration(toMs)}: ${share === 0 ? good : `${bad} ${percent(share)}`}`;
    // What is bad is high, what is good is low: the height tells them apart, too.
    const height = share === 0 ? 3 : 12;
    return element(
      'rect',
      { x: start, y: y + 16 - height, width: Math.max(1.5, end - start - 0.4), height, class: share === 0 ? 't2 tick' : 't0 tick' },
      tip(about),
    );
  });
  return element(
    'g',
    {},
    words(0, y, title, { class: 'name' }),
    element('rect', { x: left, y: y + 4, width: right - left, height: 12, class: 'lane' }),
    ...marks,
  );
}
