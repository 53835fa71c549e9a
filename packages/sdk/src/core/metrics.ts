/**
 * The measures, with exact formulas (docs/measures.md). A tally counts as calls happen and keeps no call, so it costs the
 * same for ten calls and for ten million; tallies of windows, workers and seeds add up. What cannot be known is undefined
 * (printed `n/a`), never a flattering number.
 */
import type { CallOutcome } from './call-outcome.js';

/** What is known about one call: a request on the wire, or the last attempt of an operation. */
export type CallRecord = {
  readonly outcome: CallOutcome;
  /** Until the caller saw the outcome; a call that hung has no latency worth the name and misses its deadline anyway. */
  readonly latencyMs: number;
  /** Client timeout if seen, else the plan's, else 60 s. */
  readonly deadlineMs: number;
  /** Did the result keep to the tool's output schema? Undefined where there is no result or no schema. */
  readonly isConformant: boolean | undefined;
  /** Could the caller use the result? Undefined where nobody looked. */
  readonly isUsable: boolean | undefined;
  /** A data fault changed what the caller saw. */
  readonly isAltered: boolean;
};

/** A call's deadline when neither the client nor the plan states one. */
export const DEFAULT_DEADLINE_MS = 60_000;

/** Counts over records of one kind. */
type RecordCounts = {
  seen: number;
  responded: number;
  correct: number;
  correctInTime: number;
  inTime: number;
  judged: number;
  conformant: number;
};

/** Running counts. Plain numbers: copy it, send it, merge it. */
export type Tally = {
  /** Requests on the wire, retries included. */
  readonly calls: RecordCounts;
  /** Operations by the outcome of their last attempt; what a breaker refused was never recorded. */
  readonly operations: RecordCounts;
  /** Operations that the caller wanted, refused ones included. */
  wanted: number;
  /** Operations with a delivered fault, and the calls they took. */
  faultedOperations: number;
  faultedSends: number;
  /** Calls that reached the server; meaningless unless `knowsExecutions`. */
  executed: number;
  knowsExecutions: boolean;
  tasks: number;
  failedTasks: number;
  /** Tasks that ended without their spare steps. */
  degradedTasks: number;
};

const startCounts = (): RecordCounts => ({ seen: 0, responded: 0, correct: 0, correctInTime: 0, inTime: 0, judged: 0, conformant: 0 });

/** An empty tally. Only who sees the server itself `knowsExecutions`. */
export function startTally(options: { knowsExecutions?: boolean } = {}): Tally {
  return {
    calls: startCounts(),
    operations: startCounts(),
    wanted: 0,
    faultedOperations: 0,
    faultedSends: 0,
    executed: 0,
    knowsExecutions: options.knowsExecutions === true,
    tasks: 0,
    failedTasks: 0,
    degradedTasks: 0,
  };
}

/** Responded: a result arrived, and it is neither an RPC error nor a transport failure. */
function hasResponded(outcome: CallOutcome): boolean {
  return outcome === 'ok' || outcome === 'tool-error';
}

/** Correct: a result that is no error, keeps its schema, is usable, and that no data fault changed. */
export function isCorrect(record: CallRecord): boolean {
  return record.outcome === 'ok' && record.isConformant !== false && record.isUsable !== false && !record.isAltered;
}

function count(counts: RecordCounts, record: CallRecord): void {
  const { outcome } = record;
  const isInTime = outcome !== 'no-answer' && outcome !== 'cancelled' && record.latencyMs <= record.deadlineMs;
  counts.seen++;
  if (hasResponded(outcome)) counts.responded++;
  if (isInTime) counts.inTime++;
  if (isCorrect(record)) {
    counts.correct++;
    if (isInTime) counts.correctInTime++;
  }
  if (record.isConformant === undefined) return;
  counts.judged++;
  if (record.isConformant) counts.conformant++;
}

/** Counts one request on the wire. */
export function countCall(tally: Tally, record: CallRecord): void {
  count(tally.calls, record);
}

/** Counts one operation by its last attempt; `sends` is how many calls it took. */
export function countOperation(tally: Tally, last: CallRecord, about: { readonly sends: number; readonly isFaulted: boolean }): void {
  count(tally.operations, last);
  tally.wanted++;
  if (!about.isFaulted) return;
  tally.faultedOperations++;
  tally.faultedSends += about.sends;
}

/** Counts an operation that the caller wanted and did not attempt (a breaker was open). */
export function countRefusal(tally: Tally): void {
  tally.wanted++;
}

/** Counts one finished task. */
export function countTask(tally: Tally, outcome: 'complete' | 'degraded' | 'failed'): void {
  tally.tasks++;
  if (outcome === 'failed') tally.failedTasks++;
  if (outcome === 'degraded') tally.degradedTasks++;
}

function addCounts(into: RecordCounts, from: RecordCounts): void {
  for (const key of Object.keys(into) as (keyof RecordCounts)[]) into[key] += from[key];
}

/** Adds `from` to `into`. Order does not matter. */
export function mergeTally(into: Tally, from: Tally): void {
  addCounts(into.calls, from.calls);
  addCounts(into.operations, from.operations);
  into.wanted += from.wanted;
  into.faultedOperations += from.faultedOperations;
  into.faultedSends += from.faultedSends;
  // One part that does not know makes the sum unknown, unless that part is empty.
  into.knowsExecutions = (into.knowsExecutions || into.calls.seen === from.calls.seen) && (from.knowsExecutions || from.calls.seen === 0);
  into.executed += from.executed;
  into.tasks += from.tasks;
  into.failedTasks += from.failedTasks;
  into.degradedTasks += from.degradedTasks;
}

/** The measures of a tally. Undefined: cannot be known. */
export type Measures = {
  /** A = responded / calls. */
  readonly availability: number | undefined;
  /** C = correct / responded. */
  readonly correctness: number | undefined;
  /** ETA = A x C = correct / calls. */
  readonly eta: number | undefined;
  /** Correct and in time / calls. */
  readonly tcsr: number | undefined;
  /** Conformant / results with a schema. */
  readonly scr: number | undefined;
  /** In time / calls; hung calls are misses. */
  readonly deadlineAdherence: number | undefined;
  /** Operations / tasks. */
  readonly tcaf: number | undefined;
  /** Calls / tasks. */
  readonly tcafWire: number | undefined;
  /** Calls / operations. */
  readonly retryAmplification: number | undefined;
  /** Calls per operation that met a fault. */
  readonly retryAmplificationFaulted: number | undefined;
  /** Calls that reached the server / operations. */
  readonly retryAmplificationUpstream: number | undefined;
  /** Failed tasks / tasks. */
  readonly blastRadius: number | undefined;
  /** Over operations by their last attempt, as older tools count. */
  readonly availabilityCompat: number | undefined;
  readonly correctnessCompat: number | undefined;
  readonly etaCompat: number | undefined;
  readonly tcsrCompat: number | undefined;
  /** As older tools count: a call that failed conforms. */
  readonly scrCompat: number | undefined;
  readonly deadlineAdherenceCompat: number | undefined;
  /** Recorded operations / tasks. */
  readonly tcafCompat: number | undefined;
};

/** A share that does not exist when there is nothing to share. */
export function ratioOf(part: number, whole: number): number | undefined {
  return whole === 0 ? undefined : part / whole;
}

/** Computes the measures. Without tasks, everything per task is unknown. */
export function measuresOf(tally: Tally): Measures {
  const { calls, operations, wanted, tasks } = tally;
  return {
    availability: ratioOf(calls.responded, calls.seen),
    correctness: ratioOf(calls.correct, calls.responded),
    eta: ratioOf(calls.correct, calls.seen),
    tcsr: ratioOf(calls.correctInTime, calls.seen),
    scr: ratioOf(calls.conformant, calls.judged),
    deadlineAdherence: ratioOf(calls.inTime, calls.seen),
    tcaf: ratioOf(wanted, tasks),
    tcafWire: ratioOf(calls.seen, tasks),
    retryAmplification: ratioOf(calls.seen, wanted),
    retryAmplificationFaulted: ratioOf(tally.faultedSends, tally.faultedOperations),
    retryAmplificationUpstream: tally.knowsExecutions ? ratioOf(tally.executed, wanted) : undefined,
    blastRadius: ratioOf(tally.failedTasks, tasks),
    availabilityCompat: ratioOf(operations.responded, operations.seen),
    correctnessCompat: ratioOf(operations.correct, operations.responded),
    etaCompat: ratioOf(operations.correct, operations.seen),
    tcsrCompat: ratioOf(operations.correctInTime, operations.seen),
    scrCompat: ratioOf(operations.seen - (operations.judged - operations.conformant), operations.seen),
    deadlineAdherenceCompat: ratioOf(operations.inTime, operations.seen),
    tcafCompat: ratioOf(operations.seen, tasks),
  };
}
