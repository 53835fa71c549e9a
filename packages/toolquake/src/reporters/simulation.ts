/** What a simulation found, as text and as JSON: one row per way of defending, means over all seeds. */
import type { Bounds, Interval, Measures, Tally } from '@toolquake/sdk/core';
import { counted, figure, nullsFor, range, share, table, type Cell, type Paint } from './figures.js';

/** One way of defending, over all seeds. */
export type SimulationRow = {
  readonly name: string;
  /** All seeds together. */
  readonly tally: Tally;
  readonly measures: Measures;
  /** Mean over seeds; its interval comes from the seeds, or from the tasks when there is one seed. */
  readonly blastRadius: { readonly mean: number | undefined; readonly interval: Interval | undefined };
  /** On paper, where there is a formula: its value, and where 95 % of runs of this size end up. */
  readonly analytic: { readonly blastRadius: number; readonly interval: Interval | undefined } | undefined;
  /** Deliveries per rule. */
  readonly fired: Readonly<Record<string, number>>;
  /** Seeds that ended with a breaker open. */
  readonly stuckSeeds: number;
  /** Tasks that ended well in the agent's eyes, on an altered answer. */
  readonly deceivedTasks: number;
  readonly virtualMs: number;
};

/** A whole simulation. */
export type SimulationReport = {
  /** What was simulated: a file, or the headline. */
  readonly subject: string;
  readonly seed: number;
  readonly seeds: number;
  readonly random: string;
  readonly tasks: number;
  readonly fanout: number;
  readonly rules: readonly { readonly id: string; readonly fault: string }[];
  readonly rows: readonly SimulationRow[];
  /** Bounds of the plan, held against the last row: the best defence that was simulated. */
  readonly expected: Readonly<Record<string, Bounds>>;
};

/** Rules that fired in no row. */
export function neverFired(report: SimulationReport): readonly string[] {
  return report.rules.map(({ id }) => id).filter((id) => report.rows.every(({ fired }) => (fired[id] ?? 0) === 0));
}

/** Measures over single calls, retries included: the table shows these per operation. */
const PER_CALL: readonly string[] = ['availability', 'correctness', 'eta', 'tcsr', 'scr', 'deadlineAdherence'] satisfies (keyof Measures)[];

/** What the plan expected and did not get, one sentence each. What cannot be known was not met. */
export function unmetExpectations({ expected, rows }: SimulationReport): readonly string[] {
  const last = rows.at(-1);
  if (last === undefined) return [];
  return Object.entries(expected).flatMap(([name, { min, max }]) => {
    const value = last.measures[name as keyof Measures];
    const bounds = [...(min === undefined ? [] : [`at least ${min}`]), ...(max === undefined ? [] : [`at most ${max}`])].join(' and ');
    const isMet = value !== undefined && value >= (min ?? -Infinity) && value <= (max ?? Infinity);
    const of = PER_CALL.includes(name) ? ' (per call)' : '';
    return isMet ? [] : [`${name}${of} is ${value === undefined ? 'n/a' : Number(value.toPrecision(4))} ${last.name}, expected ${bounds}.`];
  });
}

/** The report for people. */
export function renderSimulation(report: SimulationReport, paint: Paint): string {
  const { seed, seeds, rows } = report;
  const hasAnalytic = rows.some(({ analytic }) => analytic !== undefined);
  const head = ['', 'TCAF', 'TCSR', 'ETA', 'calls/op', 'blast radius', '', 'stuck', 'deceived'];
  const dim = (text: string): Cell => ({ text, paint: paint.dim });
  const body = rows.map((row): Cell[] => [
    row.name,
    figure(row.measures.tcaf, 1),
    share(row.measures.tcsrCompat),
    share(row.measures.etaCompat),
    figure(row.measures.retryAmplification, 3),
    { text: figure(row.blastRadius.mean, 4), paint: (row.blastRadius.mean ?? 0) > 0 ? paint.red : paint.green },
    row.blastRadius.interval === undefined
      ? ''
      : `(${figure(Math.max(0, row.blastRadius.interval.low), 4)} to ${figure(row.blastRadius.interval.high, 4)})`,
    `${row.stuckSeeds}`,
    `${row.deceivedTasks}`,
    ...(hasAnalytic ? [row.analytic === undefined ? 'n/a' : `${share(row.analytic.blastRadius)} ${range(row.analytic.interval)}`] : []),
  ]);
  const seedText = seeds === 1 ? `seed ${seed}` : `seeds ${seed} to ${seed + seeds - 1}`;
  const workload = `${counted(report.tasks, 'task')} of ${counted(report.fanout, 'call')} each, ${seedText}, ${report.random} draws`;
  return [
    `${paint.bold('toolquake simulate')}  ${report.subject}\n\n  ${workload}\n\n`,
    table([[...head, ...(hasAnalytic ? ['on paper (95 % of runs)'] : [])].map(dim), ...body], { indent: 2, left: [6, 9] }),
    paint.dim('\n  TCSR and ETA: per operation, after its retries (tcsrCompat, etaCompat; per call: tcsr, eta in --json)\n'),
    paint.dim('  stuck: seeds that ended with a breaker open; deceived: tasks that went on with an altered answer\n'),
    '\n',
    table(
      [
        ['rule', 'fault', ...rows.map(({ name }) => `fired, ${name}`)].map(dim),
        ...report.rules.map(({ id, fault }): Cell[] => [id, fault, ...rows.map((row) => firedText(row, id, paint))]),
      ],
      { indent: 2, left: [1] },
    ),
    ...unmetExpectations(report).map((line) => `\n  ${paint.red('not met:')} ${line}\n`),
  ].join('');
}

function firedText(row: SimulationRow, id: string, paint: Paint): Cell {
  const times = row.fired[id] ?? 0;
  return times === 0 ? { text: 'never', paint: paint.red } : `${times}`;
}

/** The report for machines. */
export function simulationJson(report: SimulationReport): string {
  const rows = report.rows.map(({ name, tally, measures, blastRadius, analytic, fired, stuckSeeds, deceivedTasks, virtualMs }) => ({
    name,
    calls: tally.calls.seen,
    operations: tally.wanted,
    tasks: tally.tasks,
    failedTasks: tally.failedTasks,
    degradedTasks: tally.degradedTasks,
    deceivedTasks,
    stuckSeeds,
    virtualMs,
    measures: nullsFor(measures),
    blastRadius: nullsFor(blastRadius),
    analytic: analytic === undefined ? null : nullsFor(analytic),
    fired,
  }));
  const { subject, seed, seeds, random, tasks, fanout, rules } = report;
  return `${JSON.stringify({ version: 1, subject, seed, seeds, random, tasks, fanout, rules, rows, neverFired: neverFired(report), unmet: unmetExpectations(report) }, undefined, 2)}\n`;
}
