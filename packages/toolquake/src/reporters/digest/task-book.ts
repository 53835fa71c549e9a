/** Tasks of live runs, and what they measure. Simulators know their tasks and tell them themselves. */
import type { BoundaryEntry, Bounds, JournalEntry, Measures } from '@toolquake/sdk/core';
import { clipped } from './bounded-map.js';
import { deadlinesIn, deadlinesOf, type DeadlineUse, type TimedCall } from './deadlines.js';
import type { GrowingRun } from './run-book.js';
import { assignTasks, groupBy, wrappedTaskRef, type TaskRef, type WrappedTask } from './task-assignment.js';
import { byTime, liveMeasures, type LiveMeasures, type MeasuredCall, type TaskExit } from './task-measures.js';

type Start = Extract<JournalEntry, { kind: 'start' }>;
type Call = Extract<JournalEntry, { kind: 'call' }>;
type Wrapped = Extract<JournalEntry, { kind: 'task' }>;

/** One task. */
export type TaskRecord = LiveMeasures & {
  readonly name: string;
  readonly method: TaskRef['method'];
  readonly confidence: TaskRef['confidence'];
  readonly faulted: number;
  readonly labels: readonly string[];
  /** From the first call, or the start of its process, to the last; undefined for a task without calls or end. */
  readonly lastsMs: number | undefined;
  readonly command: string | undefined;
  /** Undefined: nobody saw how it ended. */
  readonly exit: TaskExit | undefined;
};

/** A bound of a plan, judged. What cannot be known does not hold. */
export type Expectation = {
  readonly measure: string;
  readonly bounds: Bounds;
  readonly value: number | undefined;
  readonly holds: boolean;
};

/** All live calls. */
export type Tasks = {
  readonly count: number;
  /** The first ones. */
  readonly list: readonly TaskRecord[];
  /** Calls that belong to no task that anybody could name. */
  readonly unassigned: number;
  /** How tasks were told apart, the best way first. */
  readonly methods: readonly { readonly method: TaskRef['method']; readonly confidence: TaskRef['confidence']; readonly tasks: number }[];
  readonly overall: LiveMeasures;
  readonly byLabel: readonly { readonly label: string; readonly measures: LiveMeasures }[];
  /** By what calls were judged too late. */
  readonly deadlines: readonly DeadlineUse[];
  readonly expectations: readonly Expectation[];
  /** More calls than can be held: nothing is told of tasks. */
  readonly isTooMany: boolean;
};

const MAX_CALLS = 200_000;
const MAX_LISTED = 200;
const MAX_BOUNDARIES = 2000;

/** As it was read: its task and its deadline depend on other calls. */
type HeldCall = Omit<MeasuredCall, 'ref' | 'deadlineMs' | 'deadlineBy'> & TimedCall;

type WrappedRecord = WrappedTask & { readonly command: string | undefined; readonly exit: TaskExit | undefined };

/** Collects them. */
export type TaskBook = {
  addRun(start: Start, run: GrowingRun): void;
  addCall(call: Call, run: GrowingRun): void;
  addTask(entry: Wrapped): void;
  /** The proxy of this run was told that a task begins or ends. */
  addBoundary(entry: BoundaryEntry, run: GrowingRun): void;
  /** Undefined where no live call and no task was seen. */
  result(): Tasks | undefined;
};

/** An empty book. */
export function createTaskBook(): TaskBook {
  const starts = new Map<GrowingRun, { readonly group: string; readonly startedFor: string | undefined; readonly atMs: number }>();
  const expected = new Map<string, { readonly measure: string; readonly bounds: Bounds }>();
  const wrapped = new Map<string, WrappedRecord>();
  const boundaries: { -readonly [Key in keyof WrappedRecord]: WrappedRecord[Key] }[] = [];
  let calls: HeldCall[] = [];
  let isTooMany = false;
  return {
    addRun(start, run) {
      if (start.transport === 'simulator') return;
      const startedAt = Date.parse(start.startedAt ?? '');
      const group = start.group ?? `run ${run.number}`;
      starts.set(run, { group: clipped(group), startedFor: start.task, atMs: Number.isNaN(startedAt) ? 0 : startedAt });
      for (const [measure, bounds] of Object.entries(start.expect ?? {})) {
        expected.set(JSON.stringify([measure, bounds.min, bounds.max]), { measure: clipped(measure), bounds });
      }
    },
    addCall(call, run) {
      const start = starts.get(run);
      if (start === undefined) return;
      if (calls.length >= MAX_CALLS) {
        isTooMany = true;
        calls = [];
      }
      if (isTooMany) return;
      const endedAtMs = start.atMs + call.atMs;
      calls.push({
        group: start.group,
        run: run.number,
        label: run.label,
        session: clipped(call.session),
        isConversation: run.transport === 'stdio' || call.era === 'legacy',
        startedAtMs: endedAtMs - Math.max(0, call.latencyMs),
        endedAtMs,
        task: call.task === undefined ? undefined : clipped(call.task),
        startedFor: start.startedFor,
        trace: call.trace,
        tool: clipped(call.tool ?? '(no tool)'),
        operation: call.operation,
        outcome: call.outcome,
        latencyMs: call.latencyMs,
        planDeadlineMs: run.deadlineMs,
        isTimedOut: call.isTimedOut === true,
        isAltered: call.isAltered === true,
        isConformant: call.isConformant,
        isFaulted: (call.faults?.length ?? 0) > 0,
        sends: call.sends ?? 1,
      });
    },
    addTask({ group, task, startedAt, state, atMs, command, exitCode, signal }) {
      const startedAtMs = Date.parse(startedAt);
      if (Number.isNaN(startedAtMs) || (wrapped.size >= MAX_CALLS && state === 'started')) return;
      const hasEnded = state === 'ended';
      wrapped.set(JSON.stringify([group, task, startedAt]), {
        group: clipped(group),
        task: clipped(task),
        startedAtMs,
        endedAtMs: hasEnded ? startedAtMs + atMs : undefined,
        command: clipped(command),
        exit: hasEnded ? { exitCode, signal } : undefined,
      });
    },
    addBoundary({ task, state, atMs, outcome }, run) {
      const start = starts.get(run);
      if (start === undefined) return;
      // One task at a time, so the one that has not ended is meant. The same name again is the same task going on.
      const open = [...boundaries].reverse().find((one) => one.run === run.number && one.endedAtMs === undefined);
      if (open !== undefined) open.endedAtMs = start.atMs + atMs;
      if (open !== undefined && state === 'ended' && outcome !== undefined) open.exit = { exitCode: undefined, signal: undefined, outcome };
      if (state === 'ended' || boundaries.length >= MAX_BOUNDARIES) return;
      const about = { group: start.group, task: clipped(task), run: run.number, command: undefined };
      boundaries.push({ ...about, startedAtMs: start.atMs + atMs, endedAtMs: undefined, exit: undefined });
    },
    result() {
      if (calls.length === 0 && boundaries.length === 0 && wrapped.size === 0 && !isTooMany && expected.size === 0) return undefined;
      return tasksOf(calls, [...wrapped.values(), ...boundaries], [...expected.values()], isTooMany);
    },
  };
}

function tasksOf(
  given: readonly HeldCall[],
  wrapped: readonly WrappedRecord[],
  expected: readonly { readonly measure: string; readonly bounds: Bounds }[],
  isTooMany: boolean,
): Tasks {
  const refs = assignTasks(given, wrapped);
  const deadlineOf = deadlinesOf(given);
  const calls = given.map((call, index): MeasuredCall => ({ ...call, ...deadlineOf(call), ref: refs[index] })).sort(byTime);
  const known = new Map<string, { ref: TaskRef; exit: WrappedRecord | undefined; calls: readonly MeasuredCall[] }>();
  for (const one of wrapped) {
    const ref = wrappedTaskRef(one);
    const before = known.get(ref.key)?.exit;
    // A task that was taken up again began when it first did.
    const startedAtMs = Math.min(one.startedAtMs, before?.startedAtMs ?? Infinity);
    known.set(ref.key, { ref, exit: { ...one, startedAtMs }, calls: [] });
  }
  for (const [key, own] of groupBy(
    calls.filter(({ ref }) => ref !== undefined),
    ({ ref }) => ref!.key,
  )) {
    // The weakest evidence among its calls is what the task rests on.
    const ref = own
      .map((call) => call.ref!)
      .sort((a, b) => RANK.indexOf(b.method) - RANK.indexOf(a.method) || SURE.indexOf(b.confidence) - SURE.indexOf(a.confidence))[0]!;
    known.set(key, { ref, exit: known.get(key)?.exit, calls: own });
  }
  const measure = (own: readonly MeasuredCall[], keys: Iterable<string>): LiveMeasures => {
    const exits = new Map([...keys].map((key) => [key, known.get(key)?.exit?.exit] as const));
    return liveMeasures(own, exits.size === 0 || isTooMany ? undefined : exits);
  };
  const overall = measure(calls, known.keys());
  const list = [...known]
    .map(([key, task]) => ({ task, record: recordOf(task, measure(task.calls, [key])) }))
    .sort((a, b) => startOf(a.task) - startOf(b.task) || (a.record.name < b.record.name ? -1 : 1))
    .map(({ record }) => record);
  const methods = [...groupBy(list, ({ method, confidence }) => `${method} ${confidence}`).values()]
    .map((own) => ({ method: own[0]!.method, confidence: own[0]!.confidence, tasks: own.length }))
    .sort((a, b) => RANK.indexOf(a.method) - RANK.indexOf(b.method) || SURE.indexOf(a.confidence) - SURE.indexOf(b.confidence));
  return {
    count: list.length,
    list: list.slice(0, MAX_LISTED),
    unassigned: calls.filter(({ ref }) => ref === undefined).length,
    methods,
    overall,
    byLabel: [...groupBy(calls, ({ label }) => label)]
      .map(([label, own]) => ({ label, measures: measure(own, new Set(own.flatMap(({ ref }) => (ref === undefined ? [] : [ref.key])))) }))
      .sort((a, b) => (a.label < b.label ? -1 : 1)),
    deadlines: deadlinesIn(calls),
    expectations: expected.map(({ measure: name, bounds }) => judge(name, bounds, overall.measures)),
    isTooMany,
  };
}

const RANK: readonly TaskRef['method'][] = ['id', 'admin', 'process', 'trace', 'session', 'idle-gap'];
const SURE: readonly TaskRef['confidence'][] = ['high', 'medium', 'low'];

type KnownTask = { readonly ref: TaskRef; readonly exit: WrappedRecord | undefined; readonly calls: readonly MeasuredCall[] };

const startOf = ({ exit, calls }: KnownTask): number => exit?.startedAtMs ?? calls[0]?.startedAtMs ?? 0;

function recordOf(task: KnownTask, measures: LiveMeasures): TaskRecord {
  const { ref, exit, calls } = task;
  const lastCallMs = calls.reduce<number | undefined>((last, { endedAtMs }) => Math.max(last ?? endedAtMs, endedAtMs), undefined);
  const endedAtMs = exit?.endedAtMs ?? lastCallMs;
  return {
    ...measures,
    name: ref.name,
    method: ref.method,
    confidence: ref.confidence,
    faulted: calls.filter(({ isFaulted }) => isFaulted).length,
    labels: [...new Set(calls.map(({ label }) => label))].sort(),
    lastsMs: endedAtMs === undefined ? undefined : Math.max(0, endedAtMs - startOf(task)),
    command: exit?.command,
    exit: exit?.exit,
  };
}

function judge(measure: string, bounds: Bounds, measures: Measures): Expectation {
  const value = Object.hasOwn(measures, measure) ? measures[measure as keyof Measures] : undefined;
  const holds = value !== undefined && value >= (bounds.min ?? -Infinity) && value <= (bounds.max ?? Infinity);
  return { measure, bounds, value, holds };
}
