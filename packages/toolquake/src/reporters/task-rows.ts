/** Tasks in words and columns, the same in every rendering. */
import { DEFAULT_DEADLINE_MS } from '@toolquake/sdk/core';
import type { LiveMeasures, TimeTo } from './digest/task-measures.js';
import { hasEndedBadly } from './digest/task-measures.js';
import type { Digest } from './journal-digest.js';
import type { Expectation, TaskRecord, Tasks } from './digest/task-book.js';
import { duration, figure, grouped, many, share } from './figures.js';

const METHODS: Readonly<Record<TaskRecord['method'], string>> = {
  id: 'explicit id',
  admin: 'admin',
  process: 'process',
  trace: 'trace',
  session: 'session',
  'idle-gap': 'idle gap',
};

/** How tasks were told apart, and what that leaves unknown. */
export function tasksLead({ count, methods, unassigned, isTooMany }: Tasks): string {
  if (isTooMany) return 'More calls than can be put together to tasks: what is per task or operation is n/a.';
  if (count === 0) return 'Nothing tells tasks apart (no id, admin call, process, trace, session or idle gap), so what is per task is n/a.';
  const ways = methods.map(({ method, confidence, tasks }) => `${many(tasks, 'task')} by ${METHODS[method]} (${confidence} confidence)`);
  const rest = unassigned === 0 ? '' : ` ${many(unassigned, 'call')} belong to no task, so totals per task are n/a.`;
  return `Told apart: ${ways.join(', ')}.${rest}`;
}

/** The measures of all live calls, then of each server. */
export const MEASURE_HEAD: readonly string[] = [
  '',
  'calls',
  'failed',
  'A',
  'C',
  'ETA',
  'TCSR',
  'SCR',
  'DA',
  'TCAF',
  'TCAF wire',
  'RA',
  'RA faulted',
  'RA upstream',
  'blast radius',
  'MTTR',
  'MTTD',
];

/** See `MEASURE_HEAD`. */
export function measureRows({ overall, byLabel }: Tasks): readonly (readonly string[])[] {
  const rows = byLabel.map(({ label, measures }) => measureRow(label, measures));
  return byLabel.length === 1 ? [measureRow(byLabel[0]!.label, overall)] : [...rows, measureRow('all', overall)];
}

function measureRow(label: string, { calls, failed, measures: own, timeToRecover, timeToReact }: LiveMeasures): readonly string[] {
  return [
    label,
    grouped(calls),
    grouped(failed),
    ...[own.availability, own.correctness, own.eta, own.tcsr, own.scr, own.deadlineAdherence].map(share),
    ...[own.tcaf, own.tcafWire].map((value) => figure(value, 1)),
    ...[own.retryAmplification, own.retryAmplificationFaulted, own.retryAmplificationUpstream].map((value) => figure(value, 2)),
    share(own.blastRadius),
    timeText(timeToRecover),
    timeText(timeToReact),
  ];
}

/** The mean, and how many of the harms it is about: the others never came to an end. */
function timeText({ meanMs, seen, of }: TimeTo): string {
  return meanMs === undefined ? 'n/a' : `${duration(meanMs)} (${seen} of ${of})`;
}

/** What the abbreviations rest on. */
export const MEASURE_NOTE: string = `DA and TCSR by the default deadline of ${duration(DEFAULT_DEADLINE_MS)}: the client's own does not show on the wire. A task counts as failed when its process ended other than with 0, or when an operation never got a correct answer. MTTD is the time to the first retry, the only reaction that calls prove.`;

/** One row per task. */
export const TASK_HEAD: readonly string[] = [
  'task',
  'told by',
  'confidence',
  'servers',
  'calls',
  'TCAF',
  'failed',
  'faulted',
  'unrecovered',
  'ETA',
  'TCSR',
  'RA',
  'lasted',
  'ended',
];

/** Columns of `TASK_HEAD` that are words. */
export const TASK_WORDS: readonly number[] = [1, 2, 3, 13];

/** See `TASK_HEAD`. */
export function taskRows({ list }: Tasks): readonly (readonly string[])[] {
  return list.map((task) => [
    task.name,
    METHODS[task.method],
    task.confidence,
    task.labels.join(', '),
    grouped(task.calls),
    figure(task.measures.tcaf, 0),
    grouped(task.failed),
    grouped(task.faulted),
    task.unrecovered === undefined ? 'n/a' : grouped(task.unrecovered),
    share(task.measures.eta),
    share(task.measures.tcsr),
    figure(task.measures.retryAmplification, 2),
    duration(task.lastsMs),
    endText(task),
  ]);
}

/** `exit 0`, `SIGKILL`, or that nobody saw it. */
export function endText({ exit }: Pick<TaskRecord, 'exit'>): string {
  if (exit === undefined) return 'n/a';
  return exit.outcome ?? exit.signal ?? `exit ${exit.exitCode ?? 'n/a'}`;
}

/** Labels whose measures stand with the tasks need no second, poorer table. */
export function untoldGroups({ groups, tasks }: Digest): Digest['groups'] {
  const told = new Set(tasks?.isTooMany === true ? [] : tasks?.byLabel.map(({ label }) => label));
  return groups.filter(({ label }) => !told.has(label));
}

/** As the blast radius counts it. */
export const taskFailed = (task: TaskRecord): boolean => hasEndedBadly(task.exit) || (task.unrecovered ?? 0) > 0;

/** `blastRadius is 0.40, expected at most 0.10`. */
export function expectationText({ measure, bounds, value }: Expectation): string {
  const wanted = [
    ...(bounds.min === undefined ? [] : [`at least ${bounds.min}`]),
    ...(bounds.max === undefined ? [] : [`at most ${bounds.max}`]),
  ].join(' and ');
  const found = value === undefined ? 'n/a (and what is unknown does not hold)' : `${Number(value.toPrecision(4))}`;
  return `${measure} is ${found}, expected ${wanted}`;
}
