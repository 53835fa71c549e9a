/** Tasks in words and columns, the same in every rendering. */
import type { DeadlineUse } from './digest/deadlines.js';
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

const SOURCES: Readonly<Record<DeadlineUse['source'], string>> = {
  client: "the client's own timeout",
  plan: "the plan's deadline",
  default: 'the default deadline',
};

/** `the default deadline of 60 s`; with several, how many calls each was for. */
function deadlineText(uses: readonly DeadlineUse[]): string {
  const texts = uses.map(({ source, calls, lowMs, highMs }) => {
    const time = lowMs === highMs ? duration(lowMs) : `${duration(lowMs)} to ${duration(highMs)}`;
    return `${SOURCES[source]} of ${time}${uses.length === 1 ? '' : ` (${many(calls, 'call')})`}`;
  });
  return texts.join(', ');
}

/** What the abbreviations rest on. */
export const measureNote = ({ deadlines }: Tasks): string =>
  `${deadlines.length === 0 ? '' : `DA and TCSR by ${deadlineText(deadlines)}. `}A task counts as failed when its process ended other than with 0, or when an operation never got a correct answer. MTTD is the time to the first retry, the only reaction that calls prove.`;

/** One row per task. */
export const TASK_HEAD: readonly string[] = [
  'task',
  'told by',
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
export const TASK_WORDS: readonly number[] = [1, 2, 12];

/** The column of `TASK_HEAD` that says how a task ended. */
export const TASK_END = 12;

/** See `TASK_HEAD`. */
export function taskRows({ list }: Tasks): readonly (readonly string[])[] {
  return list.map((task) => [
    task.name,
    `${METHODS[task.method]} (${task.confidence})`,
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
