/** Curves with intervals, named at their ends. */
import type { Interval } from '@toolquake/sdk/core';
import { bottomAxis, leftAxis, spreadLabels, type Frame } from './axes.js';
import { linearScale, logScale, type Scale } from './scale.js';
import { brokenText, element, line, mark, path, tip, words } from './svg.js';

/** One curve. */
export type Curve = {
  readonly name: string;
  /** Number of its colour and of its mark. */
  readonly tone: number;
  readonly points: readonly { readonly x: number; readonly y: number; readonly interval?: Interval | undefined; readonly about: string }[];
  readonly isDashed?: boolean;
  /** Without marks, intervals and a name: a formula, not a measurement. */
  readonly isFormula?: boolean;
  /** Shows which way the curve was gone. */
  readonly hasArrows?: boolean;
};

/** What is drawn. */
export type CurvePlotOptions = {
  readonly width: number;
  readonly curves: readonly Curve[];
  /** `isFalling`: values fall from left to right, because less is worse. */
  readonly x: { readonly title: string; readonly label: (value: number) => string; readonly isFalling?: boolean };
  readonly y: { readonly title: string; readonly label: (value: number) => string; readonly high: number };
  /** The area between the first and the second curve is the point. */
  readonly fillsLoop?: boolean;
};

/** A drawing: what is inside the svg, and how high it is. */
export type Drawing = { readonly markup: string; readonly height: number };

const HEIGHT = 300;
const LABEL_LINE = 14;

/** Draws it. */
export function curvePlot({ width, curves, x, y, fillsLoop }: CurvePlotOptions): Drawing {
  const labelRoom = Math.min(130, Math.max(70, width * 0.24));
  const frame: Frame = { left: 46, top: 34, right: width - labelRoom - 14, bottom: HEIGHT - 48 };
  const xs = [...new Set(curves.flatMap(({ points }) => points.map((point) => point.x)))].sort((a, b) => a - b);
  const across = acrossScale(xs, x.isFalling === true ? { left: frame.right, right: frame.left } : frame);
  const up = linearScale({ low: 0, high: y.high, from: frame.bottom, to: frame.top, ticks: 5 });
  const markup = [
    leftAxis(frame, up, y),
    bottomAxis(frame, across, { ...x, ...(xs.length <= 12 ? { ticks: xs } : {}) }),
    ...(fillsLoop === true ? [loopArea(curves, across, up)] : []),
    ...curves.map((curve) => drawCurve(curve, across, up)),
    ...endLabels(curves, { frame, across, up, labelRoom }),
  ].join('');
  return { markup, height: HEIGHT };
}

/** Fan-outs double; rates may grow tenfold. Then equal factors take equal room. */
function acrossScale(xs: readonly number[], { left, right }: Pick<Frame, 'left' | 'right'>): Scale {
  const inset = left < right ? 12 : -12;
  const [low = 0, high = 1] = [xs[0], xs.at(-1)];
  const bounds = { low, high: high > low ? high : low + 1, from: left + inset, to: right - inset };
  if (isMultiplying(xs)) return logScale(bounds);
  const inner = { at: (value: number) => bounds.from + ((value - low) / (bounds.high - low)) * (bounds.to - bounds.from) };
  const ticks = linearScale({ ...bounds, ticks: 6 }).ticks.filter((tick) => tick >= low && tick <= bounds.high);
  return { ...inner, ticks, low, high: bounds.high };
}

/** Do values grow by factors, not by steps? */
function isMultiplying(xs: readonly number[]): boolean {
  const [low = 0, high = 0] = [xs[0], xs.at(-1)];
  if (xs.length < 3 || low <= 0 || high / low < 8) return false;
  const steps = xs.slice(1).map((value, index) => value - (xs[index] ?? 0));
  return Math.max(...steps) / Math.min(...steps) > 3;
}

function drawCurve({ points, tone, isDashed, isFormula, hasArrows }: Curve, across: Scale, up: Scale): string {
  const places = points.map((point) => [across.at(point.x), up.at(point.y)] as const);
  const dash = isFormula === true ? '2 4' : isDashed === true ? '7 4' : undefined;
  return element(
    'g',
    { class: `t${tone % 6}` },
    path(places, { class: isFormula === true ? 'curve formula' : 'curve', 'stroke-dasharray': dash }),
    ...(hasArrows === true ? arrows(places) : []),
    ...(isFormula === true ? [] : points.flatMap((point) => pointMarkup(point, tone, across, up))),
  );
}

function pointMarkup({ x, y, interval, about }: Curve['points'][number], tone: number, across: Scale, up: Scale): readonly string[] {
  const at = across.at(x);
  const whisker =
    interval === undefined || interval.high - interval.low === 0
      ? []
      : [
          line(at, up.at(interval.low), at, up.at(interval.high), { class: 'whisker' }),
          line(at - 3, up.at(interval.low), at + 3, up.at(interval.low), { class: 'whisker' }),
          line(at - 3, up.at(interval.high), at + 3, up.at(interval.high), { class: 'whisker' }),
        ];
  return [...whisker, mark(tone, at, up.at(y), { class: 'mark' }, tip(about))];
}

/** In the middle of every other step that is long enough to carry one. */
function arrows(places: readonly (readonly [x: number, y: number])[]): readonly string[] {
  return places.slice(1).flatMap((to, index) => {
    const from = places[index]!;
    const [dx, dy] = [to[0] - from[0], to[1] - from[1]];
    if (index % 2 === 1 || Math.hypot(dx, dy) < 16) return [];
    const angle = (Math.atan2(dy, dx) * 180) / Math.PI;
    const middle = `translate(${((from[0] + to[0]) / 2).toFixed(1)} ${((from[1] + to[1]) / 2).toFixed(1)}) rotate(${angle.toFixed(1)})`;
    return [element('path', { d: 'M-4 -4.5L5 0L-4 4.5z', class: 'fill', transform: middle })];
  });
}

function loopArea([first, second]: readonly Curve[], across: Scale, up: Scale): string {
  if (first === undefined || second === undefined) return '';
  const places = [...first.points, ...second.points].map((point) => [across.at(point.x), up.at(point.y)] as const);
  return path(places, { class: 'loop' });
}

type Labelling = { readonly frame: Frame; readonly across: Scale; readonly up: Scale; readonly labelRoom: number };

/** Names to the right of where each curve is rightmost, moved apart, with a thin line where they had to move. */
function endLabels(curves: readonly Curve[], { frame, across, up, labelRoom }: Labelling): readonly string[] {
  const labels = curves
    .filter(({ isFormula, points }) => isFormula !== true && points.length > 0)
    .map((curve) => {
      const end = curve.points.reduce((last, point) => (across.at(point.x) > across.at(last.x) ? point : last));
      const lines = brokenText(curve.name, labelRoom);
      return { curve, lines, endX: across.at(end.x), y: up.at(end.y), height: lines.length * LABEL_LINE + 4 };
    });
  return spreadLabels(labels, { top: frame.top - 8, bottom: frame.bottom + 8 }).flatMap(({ curve, lines, endX, y, placedY, height }) => [
    path(
      [
        [endX + 7, y],
        [frame.right + 8, placedY + height / 2],
      ],
      { class: 'leader' },
    ),
    ...lines.map((text, index) => words(frame.right + 12, placedY + 12 + index * LABEL_LINE, text, { class: `label t${curve.tone % 6}` })),
  ]);
}
