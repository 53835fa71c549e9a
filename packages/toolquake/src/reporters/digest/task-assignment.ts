/**
 * Which task a call belongs to. A proxy sees calls, not tasks, so this is worked out from what calls and runs say, the
 * best evidence first; how it was found out, and how sure that is, is always part of the answer. Pure, and the order
 * of the calls does not matter.
 */

/** What is known about one call, on the wall clock where its run has one. */
export type TaskCall = {
  /** The run directory, or the run where it has none: names of tasks agree within it. */
  readonly group: string;
  readonly run: number;
  /** The server: the target's name, or the transport. */
  readonly label: string;
  readonly session: string;
  /** A stdio connection or a legacy session, which clients often make per conversation. */
  readonly isConversation: boolean;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  /** The id that the call names, the task that its proxy was started for, and its trace. */
  readonly task: string | undefined;
  readonly startedFor: string | undefined;
  readonly trace: string | undefined;
};

/** A task as its wrapper saw it. */
export type WrappedTask = {
  readonly group: string;
  readonly task: string;
  readonly startedAtMs: number;
  /** Undefined: it was never seen to end. */
  readonly endedAtMs: number | undefined;
  /** The run whose proxy was told of it by its admin routes; undefined for a task with a process of its own. */
  readonly run?: number | undefined;
};

/** How a task was told apart. */
export type TaskMethod = 'id' | 'admin' | 'process' | 'trace' | 'session' | 'idle-gap';

/** A task that a call belongs to. Equal keys are the same task. */
export type TaskRef = {
  readonly key: string;
  readonly name: string;
  readonly method: TaskMethod;
  readonly confidence: 'high' | 'medium' | 'low';
};

const MIN_IDLE_MS = 30_000;
const IDLE_FACTOR = 8;

const refOf = (method: TaskMethod, confidence: TaskRef['confidence'], group: string, name: string): TaskRef => ({
  // An id and the wrapper's name may well be the same task; a trace or a session never is.
  key: JSON.stringify([group, method === 'id' || method === 'admin' || method === 'process' ? 'named' : method, name]),
  name,
  method,
  confidence,
});

/** The task of each call, in the order of the calls; undefined where nothing tells. */
export function assignTasks(calls: readonly TaskCall[], wrapped: readonly WrappedTask[]): readonly (TaskRef | undefined)[] {
  const gaps = idleGaps(calls.filter((call) => certainTask(call, wrapped) === undefined));
  return calls.map((call) => certainTask(call, wrapped) ?? gaps(call));
}

/** A task that a wrapper names, whether or not it made a call. */
export const wrappedTaskRef = ({ group, task, run }: WrappedTask, confidence: TaskRef['confidence'] = 'high'): TaskRef =>
  refOf(run === undefined ? 'process' : 'admin', confidence, group, task);

function certainTask(call: TaskCall, wrapped: readonly WrappedTask[]): TaskRef | undefined {
  const { group, task, startedFor, trace, run, session } = call;
  if (task !== undefined) return refOf('id', 'high', group, task);
  // A proxy that the task did not start, in the same run directory: whose call it is shows only while one task is going on.
  const during = wrapped.filter(
    (one) => one.group === group && one.startedAtMs <= call.startedAtMs && call.startedAtMs <= (one.endedAtMs ?? Infinity),
  );
  // Said to this very proxy; the process may well go through several tasks.
  const told = during.find((one) => one.run === run);
  if (told !== undefined) return wrappedTaskRef(told);
  if (startedFor !== undefined) return refOf('process', 'high', group, startedFor);
  if (during.length === 1) return wrappedTaskRef(during[0]!, 'medium');
  if (trace !== undefined) return refOf('trace', 'high', group, trace);
  if (call.isConversation) return refOf('session', 'medium', `${group} ${run}`, session);
  return undefined;
}

/** A session with a pause much longer than its usual ones is two tasks; one without such a pause could be any number. */
function idleGaps(calls: readonly TaskCall[]): (call: TaskCall) => TaskRef | undefined {
  const starts = new Map<string, readonly number[]>();
  const keyOf = ({ group, run, session }: TaskCall): string => JSON.stringify([group, run, session]);
  for (const [key, own] of groupBy(calls, keyOf)) {
    const sorted = own.toSorted((a, b) => a.startedAtMs - b.startedAtMs || a.endedAtMs - b.endedAtMs);
    let busyUntil = -Infinity;
    const pauses = sorted.map(({ startedAtMs, endedAtMs }) => {
      const pauseMs = startedAtMs - busyUntil;
      busyUntil = Math.max(busyUntil, endedAtMs);
      return { startedAtMs, pauseMs };
    });
    const inner = pauses.slice(1).map(({ pauseMs }) => Math.max(0, pauseMs));
    const threshold = Math.max(MIN_IDLE_MS, IDLE_FACTOR * medianOf(inner));
    const boundaries = pauses.slice(1).filter(({ pauseMs }) => pauseMs > threshold);
    if (boundaries.length > 0)
      starts.set(
        key,
        boundaries.map(({ startedAtMs }) => startedAtMs),
      );
  }
  return (call) => {
    const boundaries = starts.get(keyOf(call));
    if (boundaries === undefined) return undefined;
    const before = boundaries.filter((startedAtMs) => startedAtMs <= call.startedAtMs).length;
    return refOf('idle-gap', 'low', `${call.group} ${call.run}`, `${call.session}, part ${before + 1}`);
  };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return 0;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** Values by key, in the order in which keys were first seen. */
export function groupBy<Value>(values: Iterable<Value>, keyOf: (value: Value) => string): Map<string, Value[]> {
  const groups = new Map<string, Value[]>();
  for (const value of values) {
    const key = keyOf(value);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [value]);
    else group.push(value);
  }
  return groups;
}
