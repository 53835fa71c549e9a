/** Variants side by side: before and after, and how the blast radius grows along the swept keys. */
import { pointText, type Cell, type Comparison } from '../digest/comparison.js';
import type { Estimate } from '../digest/estimate.js';
import { duration, figure, percent } from '../figures.js';
import { barPlot } from '../plots/bar-plot.js';
import { curvePlot, type Curve } from '../plots/curve-plot.js';
import { latencyPlot } from '../plots/latency-plot.js';
import { comparedCells } from '../story.js';
import { figureMarkup, lead, sheet, type PlotFigure, type Section } from './markup.js';
import { panelsOf, type SweepPanel } from './sweep-panels.js';

/** What bars compare. */
const MEASURES: readonly {
  readonly title: string;
  readonly of: (cell: Cell) => Estimate;
  readonly label: (value: number | undefined) => string;
}[] = [
  { title: 'Blast radius: share of tasks that failed', of: ({ blastRadius }) => blastRadius, label: percent },
  {
    title: 'Calls per operation: what the defence costs',
    of: ({ callsPerOperation }) => callsPerOperation,
    label: (value) => figure(value, 2),
  },
  { title: 'Task latency, p99', of: ({ taskP99 }) => taskP99, label: duration },
  { title: 'Deceived: share of tasks that went on with a wrong answer', of: ({ deceived }) => deceived, label: percent },
];

/** The section of one scenario. */
export function comparisonSection(comparison: Comparison, index: number): Section {
  const id = `scenario-${index + 1}`;
  const tone = (variant: string): number => comparison.variants.indexOf(variant);
  const cells = comparedCells(comparison);
  const point = pointText(cells[0]?.point ?? {});
  const runs = cells.reduce((most, cell) => Math.max(most, cell.runs), 0);
  const before =
    point === ''
      ? 'Every variant met the same seeds, so they differ by their defence alone.'
      : `The bars are at ${point}, where "${cells[0]?.variant}" is hurt most. Every variant met the same seeds.`;
  const bars = MEASURES.filter(({ of }) => cells.some((cell) => (of(cell).mean ?? 0) > 0)).map((measure, number) =>
    figureMarkup(barFigure(measure, cells, { id: `${id}-bars-${number + 1}`, tone })),
  );
  const panels = panelsOf(comparison);
  const curves = panels.map((panel, number) => figureMarkup(curveFigure(panel, panels, { id: `${id}-curve-${number + 1}`, tone })));
  const latency = comparison.latency.length === 0 ? [] : [figureMarkup(latencyFigure(comparison, id, tone))];
  const note = runs > 1 ? ` Whiskers are 95 % intervals over ${runs} seeds.` : '';
  return {
    id,
    title: `Scenario: ${comparison.scenario}`,
    body: `${lead(before + note)}<div class="plots">${[...bars, ...curves, ...latency].join('')}</div>${pointsMarkup(comparison)}`,
  };
}

type Naming = { readonly id: string; readonly tone: (variant: string) => number };

const intervalText = ({ interval }: Estimate, label: (value: number) => string): string =>
  interval === undefined ? '' : `${label(interval.low)} to ${label(interval.high)}`;

function barFigure({ title, of, label }: (typeof MEASURES)[number], cells: readonly Cell[], { id, tone }: Naming): PlotFigure {
  return {
    id,
    title,
    description: `Bars: ${cells.map((cell) => `${cell.variant} ${label(of(cell).mean)}`).join(', ')}.`,
    draw: (width) =>
      barPlot({ width, label, bars: cells.map((cell) => ({ name: cell.variant, tone: tone(cell.variant), estimate: of(cell) })) }),
    table: {
      caption: title,
      head: ['variant', 'mean', '95 % interval', 'runs'],
      rows: cells.map((cell) => [cell.variant, label(of(cell).mean), intervalText(of(cell), label), `${cell.runs}`]),
    },
  };
}

function curveFigure(panel: SweepPanel, panels: readonly SweepPanel[], { id, tone }: Naming): PlotFigure {
  const { key, fixed, cells } = panel;
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  const curves = variants.flatMap((variant) =>
    curvesOf(
      variant,
      cells.filter((cell) => cell.variant === variant),
      { key, tone: tone(variant) },
    ),
  );
  const high = Math.max(
    0.01,
    ...panels.flatMap((one) =>
      one.cells.flatMap(({ blastRadius, onPaper }) => [blastRadius.interval?.high ?? blastRadius.mean ?? 0, onPaper ?? 0]),
    ),
  );
  const hasPaper = curves.some(({ isFormula }) => isFormula === true);
  const title = `Blast radius over ${key}${fixed === '' ? '' : `, at ${fixed}`}`;
  return {
    id,
    title,
    description: `Curves of the share of failed tasks over ${key}: ${variants.map((variant) => `${variant} ${rangeText(cells, variant)}`).join('; ')}.`,
    ...(hasPaper ? { caption: 'Dotted: on paper, for independent failures.' } : {}),
    draw: (width) =>
      curvePlot({ width, curves, x: { title: key, label: String }, y: { title: 'share of tasks that failed', label: percent, high } }),
    table: {
      caption: title,
      head: [key, 'variant', 'blast radius', '95 % interval', 'on paper', 'runs'],
      text: [1],
      rows: cells.map((cell) => [
        String(cell.point[key]),
        cell.variant,
        percent(cell.blastRadius.mean),
        intervalText(cell.blastRadius, percent),
        percent(cell.onPaper),
        `${cell.runs}`,
      ]),
    },
  };
}

function rangeText(cells: readonly Cell[], variant: string): string {
  const own = cells.filter((cell) => cell.variant === variant);
  return `from ${percent(own[0]?.blastRadius.mean)} to ${percent(own.at(-1)?.blastRadius.mean)}`;
}

function curvesOf(variant: string, cells: readonly Cell[], { key, tone }: { key: string; tone: number }): readonly Curve[] {
  const measured = cells.map(({ point, blastRadius }) => ({
    x: Number(point[key]),
    y: blastRadius.mean ?? 0,
    interval: blastRadius.interval,
    about: `${variant}, ${key} ${point[key]}: ${percent(blastRadius.mean)} (${intervalText(blastRadius, percent)})`,
  }));
  const paper = cells.flatMap(({ point, onPaper }) => (onPaper === undefined ? [] : [{ x: Number(point[key]), y: onPaper, about: '' }]));
  return [
    ...(paper.length === 0 ? [] : [{ name: `${variant}, on paper`, tone, points: paper, isFormula: true }]),
    { name: variant, tone, points: measured },
  ];
}

function latencyFigure({ latency, keys }: Comparison, id: string, tone: (variant: string) => number): PlotFigure {
  const tools = [...new Set(latency.map(({ tool }) => tool))];
  const rows = tools.flatMap((tool) => latency.filter((one) => one.tool === tool));
  return {
    id: `${id}-latency`,
    title: `Latency by tool and variant${keys.length === 0 ? '' : ', over all points'}`,
    description: `Ranges from p50 to p99 for ${tools.length} tools: ${rows.map((row) => `${row.tool} ${row.variant} p99 ${duration(row.latency.p99)}`).join(', ')}.`,
    isFull: true,
    draw: (width) =>
      latencyPlot({
        width,
        rows: rows.map((row) => ({ group: row.tool, name: row.variant, tone: tone(row.variant), latency: row.latency })),
      }),
    table: {
      caption: 'Latency by tool and variant',
      head: ['tool', 'variant', 'p50', 'p95', 'p99', 'slowest', 'calls'],
      text: [1],
      rows: rows.map((row) => [
        row.tool,
        row.variant,
        ...[row.latency.p50, row.latency.p95, row.latency.p99, row.latency.max].map(duration),
        `${row.latency.count}`,
      ]),
    },
  };
}

/** Every variant at every point, with the figures that the scenario cares about. */
function pointsMarkup({ scenario, cells }: Comparison): string {
  const names = [...new Set(cells.flatMap((cell) => Object.keys(cell.figures)))];
  const rows = cells.map((cell) => [
    cell.variant,
    pointText(cell.point),
    ...MEASURES.map(({ of, label }) => label(of(cell).mean)),
    percent(cell.onPaper),
    ...names.map((name) => figureText(cell.figures[name]?.mean)),
    `${cell.runs}`,
  ]);
  const head = ['variant', 'point', 'blast radius', 'calls per operation', 'task p99', 'deceived', 'on paper', ...names, 'runs'];
  return `<details class="after"><summary>All variants at all points</summary>${sheet({ caption: `${scenario}: all points`, head, rows, text: [1] })}</details>`;
}

const figureText = (value: number | undefined): string => (value === undefined ? 'n/a' : String(Number(value.toPrecision(4))));
