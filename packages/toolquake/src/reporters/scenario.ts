/** What a scenario showed, as text and as JSON: one row per variant and swept point, means over all seeds. */
import type { Interval } from '@toolquake/sdk/core';
import { duration, many, nullsFor, table, type Cell, type Paint } from './figures.js';

/** A figure over all seeds: mean, and where 95 % of such means lie. */
export type SeedFigure = { readonly mean: number | undefined; readonly interval: Interval | undefined };

/** A gate and what became of it. */
export type GateResult = {
  readonly figure: string;
  readonly max: number | undefined;
  readonly min: number | undefined;
  readonly value: number | undefined;
  readonly isHeld: boolean;
};

/** One variant at one point. */
export type ScenarioRow = {
  readonly variant: string;
  readonly point: Readonly<Record<string, number | string | boolean>>;
  readonly figures: Readonly<Record<string, SeedFigure>>;
  readonly onPaper: number | undefined;
  readonly gates: readonly GateResult[];
  /** Undefined: nobody said, as for values that were swept by hand. */
  readonly isExpectedToHold: boolean | undefined;
  /** Seeds in which a named sequence of marks was found, by name. */
  readonly sequences: Readonly<Record<string, number>>;
  /** Walks through levels: failed share on the way there and back, by value. */
  readonly levels: readonly { readonly value: number; readonly up: SeedFigure; readonly down: SeedFigure }[];
  readonly fired: Readonly<Record<string, number>>;
};

/** A whole scenario. */
export type ScenarioReport = {
  readonly scenario: string;
  readonly title: string;
  readonly about: string;
  readonly seed: number;
  readonly seeds: number;
  readonly show: readonly string[];
  readonly rules: readonly { readonly id: string; readonly fault: string }[];
  readonly rows: readonly ScenarioRow[];
  readonly events: number;
};

/** Did every gate do what its variant says it does? */
export function isAsExpected({ rows }: ScenarioReport): boolean {
  return rows.every(
    ({ gates, isExpectedToHold }) =>
      gates.length === 0 || isExpectedToHold === undefined || gates.every(({ isHeld }) => isHeld) === isExpectedToHold,
  );
}

/** Rules that fired in no run. */
export function silentRules({ rules, rows }: ScenarioReport): readonly string[] {
  return rules.map(({ id }) => id).filter((id) => rows.every(({ fired }) => (fired[id] ?? 0) === 0));
}

/** How figures look in a table: shares in percent, times with their unit. */
function figureText(name: string, value: number | undefined): string {
  if (value === undefined) return 'n/a';
  if (/share|^tcsr$|^eta$|After$/i.test(name)) return percentText(value);
  if (name.endsWith('Ms')) return duration(value);
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}

function percentText(value: number): string {
  const percent = 100 * value;
  if (percent === 0 || percent === 100) return `${percent} %`;
  if (percent < 0.1) return '<0.1 %';
  return percent > 99.9 ? '>99.9 %' : `${percent.toFixed(1)} %`;
}

/** Columns of every table; scenarios add their own. */
const USUAL = ['failedShare', 'deceivedShare', 'degradedShare', 'callsPerOperation', 'p50Ms', 'p99Ms'] as const;

const TITLES: Readonly<Record<string, string>> = {
  failedShare: 'failed tasks',
  deceivedShare: 'deceived',
  degradedShare: 'degraded',
  callsPerOperation: 'calls/op',
  executedPerOperation: 'executed/op',
  p50Ms: 'p50',
  p99Ms: 'p99',
  peakCallsPerSecond: 'peak calls/s',
  peakInFlight: 'peak in flight',
  peakTasks: 'peak tasks',
  turnedAway: 'turned away',
  doubleEffects: 'done twice',
  failedAfter: 'failed after',
  stayedDown: 'stayed down',
  recoverMs: 'recovered in',
  openBreakers: 'open breakers',
  poolExhausted: 'pool exhausted',
  'self-denial-of-service': 'self-denial',
};

/** The report for people. `wrap` breaks a paragraph into lines; how wide is the face's business. */
export function renderScenario(report: ScenarioReport, paint: Paint, wrap: (text: string) => readonly string[]): string {
  const { rows, show, seeds, seed } = report;
  const keys = [...new Set(rows.flatMap(({ point }) => Object.keys(point)))];
  const names = [...USUAL.filter((name) => isTelling(rows, name)), ...show.filter((name) => !(USUAL as readonly string[]).includes(name))];
  const hasPaper = rows.some(({ onPaper }) => onPaper !== undefined);
  const hasGates = rows.some(({ gates }) => gates.length > 0);
  const dim = (text: string): Cell => ({ text, paint: paint.dim });
  const shortKeys = keys.map((key) => key.split('.').at(-1)!);
  const head = [
    '',
    ...shortKeys,
    ...names.map((name) => TITLES[name] ?? name),
    ...(hasPaper ? ['on paper'] : []),
    ...(hasGates ? ['gates'] : []),
  ];
  const body = rows.map((row, index): Cell[] => [
    rows[index - 1]?.variant === row.variant ? '' : row.variant,
    ...keys.map((key) => String(row.point[key] ?? '')),
    ...names.map((name): Cell => figureCell(row, name, paint)),
    ...(hasPaper ? [row.onPaper === undefined ? 'n/a' : percentText(row.onPaper)] : []),
    ...(hasGates ? [gateCell(row, paint)] : []),
  ]);
  const seedText = seeds === 1 ? `seed ${seed}` : `means of seeds ${seed} to ${seed + seeds - 1}`;
  return [
    `${paint.bold('toolquake simulate')}  ${report.title}\n\n`,
    ...wrap(report.about.trim().replace(/\s+/g, ' ')).map((line) => `  ${line}\n`),
    '\n',
    table([head.map(dim), ...body], { indent: 2 }),
    levelsText(report, paint),
    '\n',
    paint.dim(`  ${seedText}; ${many(report.events, 'event')}\n`),
    ...sequenceLines(report),
  ].join('');
}

function isTelling(rows: readonly ScenarioRow[], name: string): boolean {
  if (name === 'failedShare') return true;
  return rows.some(({ figures }) => {
    const mean = figures[name]?.mean;
    return mean !== undefined && mean > (name === 'callsPerOperation' ? 1.0005 : 0);
  });
}

/** Wide enough to matter, small enough to fit: half the width of the interval. */
function figureCell({ figures }: ScenarioRow, name: string, paint: Paint): Cell {
  const figure = figures[name];
  const mean = figure?.mean;
  const text = figureText(name, mean);
  const isShare = name === 'failedShare' || name === 'deceivedShare' || name === 'failedAfter';
  const half = figure?.interval === undefined ? 0 : (figure.interval.high - figure.interval.low) / 2;
  const spread = isShare && half >= 0.0005 && mean !== undefined ? ` ±${(100 * half).toFixed(1)}` : '';
  if (!isShare || mean === undefined) return text;
  return { text: `${text}${spread}`, paint: mean > 0 ? paint.red : paint.green };
}

function gateCell({ gates, isExpectedToHold }: ScenarioRow, paint: Paint): Cell {
  if (gates.length === 0) return '';
  const isHeld = gates.every((gate) => gate.isHeld);
  const text = isHeld
    ? 'held'
    : `broken: ${gates
        .filter((gate) => !gate.isHeld)
        .map(gateText)
        .join(', ')}`;
  return {
    text: isExpectedToHold === undefined || isHeld === isExpectedToHold ? text : `${text} (not as expected)`,
    paint: isHeld ? paint.green : paint.red,
  };
}

function gateText({ figure, max, min, value }: GateResult): string {
  if (value === undefined) return `${TITLES[figure] ?? figure} n/a`;
  const bound = max !== undefined && value > max ? `> ${figureText(figure, max)}` : `< ${figureText(figure, min)}`;
  return `${TITLES[figure] ?? figure} ${figureText(figure, value)} ${bound}`;
}

/** The walk there and back, side by side: where the two differ, the system remembers what was done to it. */
function levelsText({ rows }: ScenarioReport, paint: Paint): string {
  return rows
    .filter(({ levels }) => levels.length > 0)
    .map(({ variant, levels }) => {
      const dim = (text: string): Cell => ({ text, paint: paint.dim });
      const cell = ({ mean, interval }: SeedFigure): Cell => {
        const half = interval === undefined ? 0 : (interval.high - interval.low) / 2;
        const text = `${figureText('failedShare', mean)}${half >= 0.0005 ? ` ±${(100 * half).toFixed(1)}` : ''}`;
        return mean === undefined ? text : { text, paint: mean > 0.01 ? paint.red : paint.green };
      };
      const lines = levels.map(({ value, up, down }): Cell[] => [String(value), cell(up), cell(down)]);
      return `\n  ${paint.bold(variant)}: failed tasks at each level, on the way there and back\n${table([['level', 'there', 'back'].map(dim), ...lines], { indent: 4 })}`;
    })
    .join('');
}

function sequenceLines({ rows, seeds }: ScenarioReport): readonly string[] {
  const lines = rows.flatMap(({ variant, point, sequences }) => {
    const where = [variant, ...Object.entries(point).map(([key, value]) => `${key}=${value}`)].join(', ');
    return Object.entries(sequences)
      .filter(([, count]) => count > 0)
      .map(([name, count]) => `  ${name} was found in ${count} of ${seeds} seeds: ${where}\n`);
  });
  return lines.length === 0 ? [] : ['\n', ...lines];
}

/** The report for machines. */
export function scenarioJson(report: ScenarioReport): string {
  const rows = report.rows.map((row) => ({
    ...row,
    onPaper: row.onPaper ?? null,
    isExpectedToHold: row.isExpectedToHold ?? null,
    figures: Object.fromEntries(Object.entries(row.figures).map(([name, figure]) => [name, nullsFor(figure)])),
    gates: row.gates.map((gate) => nullsFor(gate)),
    levels: row.levels.map(({ value, up, down }) => ({ value, up: nullsFor(up), down: nullsFor(down) })),
  }));
  return `${JSON.stringify({ version: 1, ...report, rows, isAsExpected: isAsExpected(report), neverFired: silentRules(report) }, undefined, 2)}\n`;
}
