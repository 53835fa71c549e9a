/** A digest for people at a terminal. */
import type { CallOutcome } from '@toolquake/sdk/core';
import { OTHERS } from './digest/bounded-map.js';
import { pointText, type Cell as ComparisonCell, type Comparison } from './digest/comparison.js';
import { hasNeverFired } from './digest/rule-book.js';
import type { Sweep } from './digest/sweep.js';
import { CONTROL_HEAD, CONTROL_WORDS, controlRows, firedText } from './control-rows.js';
import { printable } from './escape.js';
import { coverageText } from './coverage.js';
import { duration, figure, grouped, many, percent, range, share, table, wrapped, type Cell, type Paint } from './figures.js';
import type { Digest, TimelineRecord } from './journal-digest.js';
import { measureTables } from './measure-table.js';
import { bar, sparkline } from './sparks.js';
import { comparedCells, storyOf } from './story.js';
import { shownTimelines } from './shown-timelines.js';
import {
  expectationText,
  measureNote,
  TASK_END,
  TASK_HEAD,
  TASK_WORDS,
  taskFailed,
  taskRows,
  tasksLead,
  untoldGroups,
} from './task-rows.js';

/** What the digest does not know. */
export type ConsoleContext = { readonly subject: string; readonly paint: Paint };

/** The report as text. */
export function renderConsole(digest: Digest, { subject, paint }: ConsoleContext): string {
  const sections = [
    ...digest.comparisons.map((comparison) => comparisonText(comparison, paint)),
    ...digest.sweeps.map((sweep) => sweepText(sweep, paint)),
    rulesText(digest, paint),
    tasksText(digest, paint),
    callsText(digest, paint),
    toolsText(digest, paint),
    timelinesText(digest, paint),
    sequencesText(digest, paint),
    controlText(digest, paint),
    dataChangesText(digest, paint),
    problemsText(digest, paint),
  ];
  return [
    `${paint.bold('toolquake report')}  ${printable(subject)}\n\n`,
    storyText(digest, paint),
    ...sections.filter((text) => text !== ''),
  ].join('');
}

/** As much as a screen has room for; the other formats have more. */
const MAX_CONTROL = 20;

const section = (title: string, body: string, paint: Paint): string => (body === '' ? '' : `\n${paint.bold(printable(title))}\n${body}`);

const head = (words: readonly string[], paint: Paint): Cell[] => words.map((text) => ({ text, paint: paint.dim }));

function storyText(digest: Digest, paint: Paint): string {
  const { ran, broke, contained, neverFired } = storyOf(digest);
  const block = (title: string, lines: readonly string[]): string =>
    lines.map((line, index) => `  ${paint.dim((index === 0 ? title : '').padEnd(20))}${printable(line)}\n`).join('');
  const guarded = digest.runs.guarded.map((why) => `  ${paint.red('guarded'.padEnd(20))}${printable(why)}: nothing was injected.\n`);
  const silent = neverFired.map(({ id }) => printable(id)).join(', ');
  return [
    block('what was run', ran),
    block('what broke', broke),
    block('what contained it', contained),
    ...guarded,
    silent === '' ? '' : `  ${paint.red('never fired'.padEnd(20))}${silent}: what never happened was not tested.\n`,
  ].join('');
}

function comparisonText(comparison: Comparison, paint: Paint): string {
  const { scenario, cells, keys } = comparison;
  const compared = comparedCells(comparison);
  const point = pointText(compared[0]?.point ?? {});
  const hasPaper = compared.some(({ onPaper }) => onPaper !== undefined);
  const rows = compared.map((cell): Cell[] => [
    printable(cell.variant),
    { text: figure(cell.blastRadius.mean, 4), paint: (cell.blastRadius.mean ?? 0) > 0 ? paint.red : paint.green },
    range(cell.blastRadius.interval),
    ...(hasPaper ? [share(cell.onPaper)] : []),
    figure(cell.callsPerOperation.mean, 3),
    duration(cell.taskP99.mean),
    `${grouped(cell.deceivedTasks)}`,
    `${grouped(cell.runs)}`,
  ]);
  const titles = ['', 'blast radius', '', ...(hasPaper ? ['on paper'] : []), 'calls/op', 'task p99', 'deceived', 'runs'];
  const overall = table([head(titles, paint), ...rows], { indent: 2, left: [2] });
  return section(
    `Scenario ${scenario}${point === '' ? '' : `, at ${point}`}`,
    keys.length === 0 ? overall : `${overall}\n${pointsText(cells, paint)}`,
    paint,
  );
}

/** Blast radius by point and variant. */
function pointsText(cells: readonly ComparisonCell[], paint: Paint): string {
  const variants = [...new Set(cells.map(({ variant }) => variant))];
  const points = [...new Set(cells.map(({ point }) => pointText(point)))];
  const hasPaper = cells.some(({ onPaper }) => onPaper !== undefined);
  const at = (point: string, variant: string): ComparisonCell | undefined =>
    cells.find((cell) => cell.variant === variant && pointText(cell.point) === point);
  const rows = points.map((point): Cell[] => [
    printable(point),
    ...variants.map(
      (variant) => `${bar(at(point, variant)?.blastRadius.mean, 8)} ${share(at(point, variant)?.blastRadius.mean).padStart(5)}`,
    ),
    ...(hasPaper ? [share(variants.map((variant) => at(point, variant)?.onPaper).find((value) => value !== undefined))] : []),
  ]);
  return table([head(['blast radius at', ...variants.map(printable), ...(hasPaper ? ['on paper'] : [])], paint), ...rows], { indent: 2 });
}

function sweepText({ label, what, up, down }: Sweep, paint: Paint): string {
  const values = [...new Set([...up, ...down].map(({ value }) => value))].sort((a, b) => a - b);
  const cells = (levels: Sweep['up'], value: number): Cell[] => {
    const level = levels.find((one) => one.value === value);
    return level === undefined
      ? ['', '', '']
      : [bar(level.failedShare.mean, 10), share(level.failedShare.mean), range(level.failedShare.interval)];
  };
  const rows = values.map((value): Cell[] => [`${value}`, ...cells(up, value), ...cells(down, value)]);
  return section(
    `Up and down again, ${label}: share of failed tasks`,
    table([head([printable(what), 'way up', '', '', 'way down', '', ''], paint), ...rows], { indent: 2, left: [1, 3, 4, 6] }),
    paint,
  );
}

function rulesText(digest: Digest, paint: Paint): string {
  const { rules } = digest;
  if (rules.length === 0) return '';
  const rows = rules.map((rule): Cell[] => [
    printable(rule.id),
    printable(rule.fault),
    hasNeverFired(rule) ? { text: firedText(rule), paint: paint.red } : firedText(rule),
    grouped(rule.suppressed),
    grouped(rule.notDelivered),
    printable(rule.reasons.map(({ text, count }) => `${text} (${grouped(count)})`).join('; ')),
  ]);
  const titles = ['rule', 'fault', 'fired', 'suppressed', 'not delivered', 'why'];
  const covered = coverageText(digest);
  const below = covered === undefined ? '' : `\n${wrapped(printable(covered), 2)}`;
  return section('Rules', `${table([head(titles, paint), ...rows], { indent: 2, left: [1, 5] })}${below}`, paint);
}

/** Columns of servers that fit beside the names of the measures. */
const MAX_SERVERS = 4;

function tasksText({ tasks }: Digest, paint: Paint): string {
  if (tasks === undefined) return '';
  const rows = taskRows(tasks).map((row, index): Cell[] =>
    row.map((text, column) => (column === TASK_END && taskFailed(tasks.list[index]!) ? { text, paint: paint.red } : printable(text))),
  );
  const expected = tasks.expectations.map((one) => {
    const text = printable(expectationText(one));
    return `  ${one.holds ? paint.green('holds   ') : paint.red('broken  ')}${text}\n`;
  });
  const measures = measureTables(tasks, MAX_SERVERS).map(({ head: titles, rows: values }) => {
    const cells = values.map(([name = '', about = '', ...own]): Cell[] => [name, { text: about, paint: paint.dim }, ...own.map(printable)]);
    return `\n${table([head(titles.map(printable), paint), ...cells], { indent: 2, left: [1] })}`;
  });
  return section(
    'Tasks',
    [
      `  ${tasksLead(tasks)}\n`,
      ...(expected.length === 0 ? [] : ['\n', ...expected]),
      ...measures,
      measures.length === 0 ? '' : `\n${wrapped(measureNote(tasks), 2)}`,
      rows.length === 0 ? '' : `\n${table([head(TASK_HEAD, paint), ...rows], { indent: 2, left: TASK_WORDS })}`,
      tasks.count > tasks.list.length ? `  The first ${tasks.list.length} of ${many(tasks.count, 'task')}.\n` : '',
    ].join(''),
    paint,
  );
}

/** Outcomes in the order of how bad they are. */
const OUTCOMES: readonly CallOutcome[] = ['ok', 'tool-error', 'rpc-error', 'http-error', 'disconnected', 'no-answer', 'cancelled'];

function callsText(digest: Digest, paint: Paint): string {
  const { calls } = digest;
  if (calls.calls === 0) return '';
  const outcomes = OUTCOMES.filter((outcome) => calls.outcomes[outcome] !== undefined).map((outcome): Cell[] => {
    const count = calls.outcomes[outcome] ?? 0;
    return [outcome, grouped(count), percent(count / calls.calls), bar(count / calls.calls, 24)];
  });
  const measures = untoldGroups(digest).map(({ label, calls: own }): Cell[] => [
    printable(label),
    grouped(own.calls),
    own.tasks === undefined ? 'n/a' : grouped(own.tasks),
    share(own.measures.availability),
    share(own.measures.correctness),
    share(own.measures.eta),
    share(own.measures.tcsr),
    figure(own.measures.tcafWire, 1),
    figure(own.measures.tcaf, 1),
    share(own.measures.blastRadius),
  ]);
  const titles = ['', 'calls', 'tasks', 'A', 'C', 'ETA', 'TCSR', 'calls/task', 'TCAF', 'blast radius'];
  const own = measures.length === 0 ? '' : `\n${table([head(titles, paint), ...measures], { indent: 2 })}`;
  const body = `${table(outcomes, { indent: 2, left: [3] })}${own}`;
  const title =
    calls.told > calls.calls
      ? `Calls that met a fault (${grouped(calls.calls)} of ${grouped(calls.told)}; the rest is not in the journal)`
      : 'Calls';
  return section(title, body, paint);
}

function toolsText({ tools }: Digest, paint: Paint): string {
  if (tools.length === 0) return '';
  const rows = tools.map(({ tool, calls, failed, altered, latency }): Cell[] => [
    printable(tool),
    grouped(calls),
    grouped(failed),
    grouped(altered),
    duration(latency.p50),
    duration(latency.p95),
    duration(latency.p99),
    duration(latency.max),
  ]);
  return section(
    'Tools, and the latency of answered calls',
    table([head(['tool', 'calls', 'failed', 'changed', 'p50', 'p95', 'p99', 'max'], paint), ...rows], { indent: 2 }),
    paint,
  );
}

function timelinesText(digest: Digest, paint: Paint): string {
  const shown = shownTimelines(digest);
  const rows = shown.flatMap((timeline): Cell[][] => [
    [
      printable(nameOf(timeline)),
      'failed',
      sparkline(
        timeline.points.map(({ failedShare }) => failedShare ?? 0),
        1,
      ),
      `up to ${percent(most(timeline, 'failedShare'))}`,
    ],
    [
      '',
      'p99',
      sparkline(timeline.points.map(({ p99Ms }) => p99Ms ?? 0)),
      `up to ${duration(most(timeline, 'p99Ms'))}, over ${duration(timeline.lastMs)}`,
    ],
  ]);
  return section('Over time', rows.length === 0 ? '' : table(rows, { indent: 2, left: [1, 2, 3] }), paint);
}

const nameOf = ({ label, point }: TimelineRecord): string =>
  [label, ...(point === undefined || pointText(point) === '' ? [] : [pointText(point)])].join(', ');

function most({ points }: TimelineRecord, key: 'failedShare' | 'p99Ms'): number | undefined {
  return points.reduce<number | undefined>((high, point) => (point[key] === undefined ? high : Math.max(high ?? 0, point[key])), undefined);
}

function sequencesText({ sequences }: Digest, paint: Paint): string {
  const rows = sequences.map(({ label, sequence, runs, firstAtMs, marks }): Cell[] => [
    printable(sequence),
    printable(label),
    many(runs, 'run'),
    duration(firstAtMs),
    printable(marks.join(' > ')),
  ]);
  const titles = ['sequence', '', 'in', 'first after', 'marks'];
  return section('Sequences', rows.length === 0 ? '' : table([head(titles, paint), ...rows], { indent: 2, left: [1, 4] }), paint);
}

function controlText({ control }: Digest, paint: Paint): string {
  const rows = controlRows(control)
    .slice(0, MAX_CONTROL)
    .map((row) => row.map(printable));
  const more = control.count > rows.length ? `  The first ${rows.length} of ${grouped(control.count)}.\n` : '';
  const text = table([head(CONTROL_HEAD, paint), ...rows], { indent: 2, left: CONTROL_WORDS });
  return section('Control while it ran', rows.length === 0 ? '' : `${text}${more}`, paint);
}

function dataChangesText({ dataChanges }: Digest, paint: Paint): string {
  const rows = dataChanges
    .slice(0, 8)
    .map(({ rule, tool, path, clean, dirty, count }): Cell[] => [
      printable(rule),
      printable(tool ?? ''),
      printable(path),
      printable(`${clean} -> ${dirty}`),
      grouped(count),
    ]);
  const titles = ['rule', 'tool', 'path', 'clean -> dirty (first)', 'times'];
  return section('Changed answers', rows.length === 0 ? '' : table([head(titles, paint), ...rows], { indent: 2, left: [1, 2, 3] }), paint);
}

function problemsText({ problems, skipped, torn, runs }: Digest, paint: Paint): string {
  const lines = [
    ...problems
      .slice(0, 10)
      .map(({ text, count }) => `${printable(text)}${count === 1 || text === OTHERS ? '' : ` (${grouped(count)} times)`}`),
    ...skipped.first.slice(0, 5).map(({ where, problem }) => `${printable(where)} was left out: ${printable(problem)}.`),
    ...(skipped.count > 5 ? [`${grouped(skipped.count)} lines were left out in all.`] : []),
    ...(torn > 0 ? [`${many(torn, 'line')} was cut off where a run was killed.`] : []),
    ...(runs.unfinished > 0 ? [`${many(runs.unfinished, 'run')} of ${grouped(runs.count)} had no end: killed, or still going on.`] : []),
  ];
  return section('Problems', lines.map((line) => `  ${line}\n`).join(''), paint);
}
