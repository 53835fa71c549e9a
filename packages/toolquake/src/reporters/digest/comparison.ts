/** Simulated runs side by side: variants (how the system was defended) x points (values of the swept keys) over seeds. */
import {
  createSketch,
  measuresOf,
  mergeTally,
  startTally,
  type JournalEntry,
  type Measures,
  type Sketch,
  type Tally,
} from '@toolquake/sdk/core';
import { createBoundedMap, type BoundedMap, type Sample } from './bounded-map.js';
import { addValue, estimateOf, shareEstimateOf, startSample, type Estimate } from './estimate.js';
import { percentilesOf, type Percentiles } from './percentiles.js';

type Summary = Extract<JournalEntry, { kind: 'summary' }>;

/** Values of the swept keys. */
export type Point = Summary['point'];

/** One variant at one point, or at all of its points, over all seeds. */
export type Cell = {
  readonly variant: string;
  readonly point: Point;
  readonly runs: number;
  readonly tally: Tally;
  readonly measures: Measures;
  readonly blastRadius: Estimate;
  readonly callsPerOperation: Estimate;
  /** Milliseconds. */
  readonly taskP99: Estimate;
  /** Share of the tasks. */
  readonly deceived: Estimate;
  readonly deceivedTasks: number;
  readonly figures: Readonly<Record<string, Estimate>>;
  /** Share of failed tasks by formula; undefined where there is none. */
  readonly onPaper: number | undefined;
  readonly taskLatency: Percentiles;
};

/** One scenario. */
export type Comparison = {
  readonly scenario: string;
  readonly variants: readonly string[];
  /** Keys that take more than one value. */
  readonly keys: readonly string[];
  /** In the order of the journal. */
  readonly cells: readonly Cell[];
  /** Every variant over all points. */
  readonly totals: readonly Cell[];
  /** Answers of calls by variant and tool. */
  readonly latency: readonly { readonly variant: string; readonly tool: string; readonly latency: Percentiles }[];
};

type Growing = {
  point: Point;
  runs: number;
  tally: Tally;
  blastRadius: Sample<number>;
  callsPerOperation: Sample<number>;
  taskP99: Sample<number>;
  deceived: Sample<number>;
  deceivedTasks: number;
  figures: BoundedMap<Sample<number>>;
  onPaper: Sample<number>;
  taskLatency: Sketch;
};

const MAX_SCENARIOS = 20;
const MAX_VARIANTS = 24;
const MAX_CELLS = 1000;
const MAX_FIGURES = 40;
const MAX_TOOLS = 40;

const startCell = (point: Point): Growing => ({
  point,
  runs: 0,
  tally: startTally({ knowsExecutions: true }),
  blastRadius: startSample(),
  callsPerOperation: startSample(),
  taskP99: startSample(),
  deceived: startSample(),
  deceivedTasks: 0,
  figures: createBoundedMap(MAX_FIGURES, startSample),
  onPaper: startSample(),
  taskLatency: createSketch(),
});

function addTo(cell: Growing, { tally, deceivedTasks, figures, onPaper, taskLatency }: Summary): void {
  const latency = createSketch(taskLatency);
  const { blastRadius, retryAmplification } = measuresOf(tally);
  cell.runs++;
  mergeTally(cell.tally, tally);
  addValue(cell.blastRadius, blastRadius);
  addValue(cell.callsPerOperation, retryAmplification);
  addValue(cell.taskP99, latency.quantile(0.99));
  addValue(cell.deceived, tally.tasks === 0 ? undefined : deceivedTasks / tally.tasks);
  cell.deceivedTasks += deceivedTasks;
  for (const [name, value] of Object.entries(figures)) addValue(cell.figures.at(name), value);
  addValue(cell.onPaper, onPaper);
  cell.taskLatency.merge(latency);
}

function cellOf(variant: string, cell: Growing): Cell {
  const { tally, runs, point, deceivedTasks } = cell;
  return {
    variant,
    point,
    runs,
    tally,
    measures: measuresOf(tally),
    blastRadius: shareEstimateOf(cell.blastRadius, tally.failedTasks, tally.tasks),
    callsPerOperation: estimateOf(cell.callsPerOperation),
    taskP99: estimateOf(cell.taskP99),
    deceived: shareEstimateOf(cell.deceived, Math.min(deceivedTasks, tally.tasks), tally.tasks),
    deceivedTasks,
    figures: Object.fromEntries(cell.figures.entries().map(([name, sample]) => [name, estimateOf(sample)])),
    onPaper: estimateOf(cell.onPaper).mean,
    taskLatency: percentilesOf(cell.taskLatency),
  };
}

/** Runs at different points differ by more than chance: their spread is no interval. */
function acrossPoints(cell: Cell): Cell {
  const mean = ({ mean: value }: Estimate): Estimate => ({ mean: value, interval: undefined });
  const { blastRadius, callsPerOperation, taskP99, deceived } = cell;
  const figures = Object.fromEntries(Object.entries(cell.figures).map(([name, value]) => [name, mean(value)]));
  return {
    ...cell,
    blastRadius: mean(blastRadius),
    callsPerOperation: mean(callsPerOperation),
    taskP99: mean(taskP99),
    deceived: mean(deceived),
    figures,
  };
}

/** Keys in one order, so that equal points have equal text. */
export function pointText(point: Point): string {
  return Object.keys(point)
    .sort()
    .map((key) => `${key} ${point[key]}`)
    .join(', ');
}

/** Collects summaries. */
export type ComparisonBook = { add(summary: Summary): void; list(): readonly Comparison[] };

/** An empty book. */
export function createComparisonBook(): ComparisonBook {
  const scenarios = createBoundedMap(MAX_SCENARIOS, () => ({
    totals: createBoundedMap(MAX_VARIANTS, () => startCell({})),
    cells: new Map<string, { variant: string; cell: Growing }>(),
    latency: createBoundedMap(MAX_VARIANTS, () => createBoundedMap(MAX_TOOLS, () => createSketch())),
  }));
  return {
    add(summary) {
      const { totals, cells, latency } = scenarios.at(summary.scenario);
      addTo(totals.at(summary.variant), summary);
      const key = JSON.stringify([summary.variant, pointText(summary.point)]);
      let held = cells.get(key);
      if (held === undefined && cells.size < MAX_CELLS) {
        held = { variant: summary.variant, cell: startCell(summary.point) };
        cells.set(key, held);
      }
      if (held !== undefined) addTo(held.cell, summary);
      for (const [tool, data] of Object.entries(summary.latency)) latency.at(summary.variant).at(tool).merge(createSketch(data));
    },
    list: () =>
      scenarios.entries().map(([scenario, { totals, cells, latency }]) => {
        const listed = [...cells.values()].map(({ variant, cell }) => cellOf(variant, cell));
        const keys = sweptKeys(listed);
        return {
          scenario,
          variants: totals.entries().map(([variant]) => variant),
          keys,
          cells: listed,
          totals: totals
            .entries()
            .map(([variant, cell]) => (keys.length === 0 ? cellOf(variant, cell) : acrossPoints(cellOf(variant, cell)))),
          latency: latency
            .entries()
            .flatMap(([variant, tools]) => tools.entries().map(([tool, sketch]) => ({ variant, tool, latency: percentilesOf(sketch) }))),
        };
      }),
  };
}

function sweptKeys(cells: readonly Cell[]): readonly string[] {
  const values = new Map<string, Set<string>>();
  for (const { point } of cells) {
    for (const [key, value] of Object.entries(point)) {
      const seen = values.get(key) ?? new Set();
      values.set(key, seen.add(String(value)));
    }
  }
  return [...values].filter(([, seen]) => seen.size > 1).map(([key]) => key);
}
