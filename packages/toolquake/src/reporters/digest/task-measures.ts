/** The measures of a set of live calls: calls are put together to operations, and operations to tasks. Pure. */
import {
  countCall,
  countOperation,
  countTask,
  isCorrect,
  meanDurationMs,
  measuresOf,
  medianDurationMs,
  startTally,
  type BoundaryOutcome,
  type CallOutcome,
  type CallRecord,
  type Duration,
  type Measures,
} from '@toolquake/sdk/core';
import { groupBy, type TaskCall, type TaskRef } from './task-assignment.js';

/** Where a call's deadline comes from: the client's own timeout where it showed, else the plan, else 60 s for everybody. */
export type DeadlineSource = 'client' | 'plan' | 'default';

/** A call with what the measures need. */
export type MeasuredCall = TaskCall & {
  readonly tool: string;
  /** Equal for calls with the same arguments; undefined where nobody could tell. */
  readonly operation: string | undefined;
  readonly outcome: CallOutcome;
  readonly latencyMs: number;
  readonly deadlineMs: number;
  readonly deadlineBy: DeadlineSource;
  readonly isAltered: boolean;
  readonly isConformant: boolean | undefined;
  readonly isFaulted: boolean;
  readonly sends: number;
  readonly ref: TaskRef | undefined;
};

/** How a task ended, as its wrapper saw it, or as somebody said by the admin routes. */
export type TaskExit = {
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
  readonly outcome?: BoundaryOutcome | undefined;
};

/** A mean time after a delivered fault; the median does not drop what never happened. */
export type TimeTo = {
  readonly meanMs: number | undefined;
  readonly medianMs: number | undefined;
  readonly seen: number;
  readonly of: number;
};

/** What a set of calls measures. */
export type LiveMeasures = {
  readonly calls: number;
  readonly failed: number;
  readonly measures: Measures;
  /** One call and its retries; undefined where a call does not tell what it asked for. */
  readonly operations: number | undefined;
  /** Operations that never got a correct answer. */
  readonly unrecovered: number | undefined;
  /** Operations that were tried in vain four times or more. */
  readonly loops: number | undefined;
  /** Calls after the third of an operation that failed. */
  readonly wastedCalls: number | undefined;
  readonly timeToRecover: TimeTo;
  readonly timeToReact: TimeTo;
};

/** Who tried so often in vain had better stopped. */
const MAX_FAILURES = 3;

const recordOf = ({ outcome, latencyMs, deadlineMs, isAltered, isConformant }: MeasuredCall): CallRecord => ({
  outcome,
  latencyMs,
  deadlineMs,
  isConformant,
  isUsable: undefined,
  isAltered,
});

/** Calls that ask the same of the same server in the same task (or session, where no task is known), in order. */
function sameAsked(calls: readonly MeasuredCall[]): readonly (readonly MeasuredCall[])[] {
  const key = ({ ref, group, run, session, label, tool, operation }: MeasuredCall): string =>
    JSON.stringify([ref?.key ?? [group, run, session], label, tool, operation]);
  const known = calls.filter(({ operation }) => operation !== undefined);
  return [...groupBy(known, key).values()].map((own) => own.toSorted(byTime));
}

/** In time; equal times in any order that does not depend on where the calls were read. */
export const byTime = (a: MeasuredCall, b: MeasuredCall): number =>
  a.startedAtMs - b.startedAtMs ||
  a.endedAtMs - b.endedAtMs ||
  compare(a.label, b.label) ||
  compare(a.tool, b.tool) ||
  compare(a.operation ?? '', b.operation ?? '') ||
  compare(a.outcome, b.outcome);

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** One call and its retries: who asks again after an answer wants something new. */
function operationsOf(calls: readonly MeasuredCall[]): readonly (readonly MeasuredCall[])[] {
  return sameAsked(calls).flatMap((own) => {
    const operations: MeasuredCall[][] = [];
    for (const call of own) {
      const current = operations.at(-1);
      if (current === undefined || current.at(-1)?.outcome === 'ok') operations.push([call]);
      else current.push(call);
    }
    return operations;
  });
}

/** Computes them. `tasks` are those of the calls, and those that made none; undefined where tasks cannot be told apart. */
export function liveMeasures(calls: readonly MeasuredCall[], tasks: ReadonlyMap<string, TaskExit | undefined> | undefined): LiveMeasures {
  const tally = startTally({ knowsExecutions: true });
  const knowsOperations = calls.every(({ operation }) => operation !== undefined);
  for (const call of calls) {
    countCall(tally, recordOf(call));
    tally.executed += call.sends;
  }
  const operations = operationsOf(calls);
  for (const own of operations) {
    countOperation(tally, recordOf(own.at(-1)!), { sends: own.length, isFaulted: own.some(({ isFaulted }) => isFaulted) });
  }
  const unrecovered = operations.filter((own) => !isCorrect(recordOf(own.at(-1)!)));
  const hurt = new Set(unrecovered.map((own) => own[0]!.ref?.key));
  for (const [key, exit] of tasks ?? []) countTask(tally, hasEndedBadly(exit) || hurt.has(key) ? 'failed' : 'complete');
  const all = measuresOf(tally);
  const { recover, react } = timesAfterFaults(calls);
  // A call that belongs to no task must not count for one.
  const isWhole = tasks !== undefined && calls.every(({ ref }) => ref !== undefined);
  return {
    measures: {
      ...all,
      ...(isWhole ? {} : { tcaf: undefined, tcafWire: undefined, tcafCompat: undefined, blastRadius: undefined }),
      ...(knowsOperations
        ? {}
        : {
            tcaf: undefined,
            tcafCompat: undefined,
            blastRadius: undefined,
            retryAmplification: undefined,
            retryAmplificationFaulted: undefined,
            retryAmplificationUpstream: undefined,
            availabilityCompat: undefined,
            correctnessCompat: undefined,
            etaCompat: undefined,
            tcsrCompat: undefined,
            deadlineAdherenceCompat: undefined,
          }),
      // A schema that nobody looked at was not kept either.
      ...(knowsOperations && tally.operations.judged > 0 ? {} : { scrCompat: undefined }),
    },
    calls: calls.length,
    failed: calls.filter(({ outcome }) => outcome !== 'ok').length,
    operations: knowsOperations ? operations.length : undefined,
    unrecovered: knowsOperations ? unrecovered.length : undefined,
    ...(knowsOperations ? wasteOf(operations) : { loops: undefined, wastedCalls: undefined }),
    timeToRecover: timeTo(knowsOperations ? recover : []),
    timeToReact: timeTo(knowsOperations ? react : []),
  };
}

/** All calls of an operation failed but, perhaps, the last. */
function wasteOf(operations: readonly (readonly MeasuredCall[])[]): { readonly loops: number; readonly wastedCalls: number } {
  const failures = operations.map((own) => own.filter(({ outcome }) => outcome !== 'ok').length);
  return {
    loops: failures.filter((count) => count > MAX_FAILURES).length,
    wastedCalls: operations.reduce((sum, own) => sum + Math.max(0, own.length - MAX_FAILURES), 0),
  };
}

/** Did the wrapper see it end other than with 0, or did somebody say that it failed? Not when nobody saw the end. */
export const hasEndedBadly = (exit: TaskExit | undefined): boolean =>
  exit !== undefined && (exit.outcome === 'failed' || exit.signal !== undefined || (exit.exitCode ?? 0) !== 0);

/** From the first harm that a fault did to what was asked, until a clean answer, or until the first sign of a reaction. */
function timesAfterFaults(calls: readonly MeasuredCall[]): { recover: readonly Duration[]; react: readonly Duration[] } {
  const recover: Duration[] = [];
  const react: Duration[] = [];
  const lastAtMs = new Map<string, number>();
  const scope = ({ ref, group, run, session }: MeasuredCall): string => ref?.key ?? JSON.stringify([group, run, session]);
  for (const call of calls) lastAtMs.set(scope(call), Math.max(lastAtMs.get(scope(call)) ?? -Infinity, call.endedAtMs));
  for (const own of sameAsked(calls)) {
    let index = own.findIndex(isHarmed);
    while (index !== -1) {
      const hit = own[index]!;
      const later = own.slice(index + 1);
      const clean = later.findIndex((call) => isCorrect(recordOf(call)));
      const end = { ms: Math.max(0, lastAtMs.get(scope(hit))! - hit.endedAtMs), isCensored: true };
      const again = later[0];
      recover.push(clean === -1 ? end : { ms: Math.max(0, later[clean]!.endedAtMs - hit.endedAtMs), isCensored: false });
      react.push(again === undefined ? end : { ms: Math.max(0, again.startedAtMs - hit.endedAtMs), isCensored: false });
      const next = clean === -1 ? -1 : later.findIndex((call, at) => at > clean && isHarmed(call));
      index = next === -1 ? -1 : index + 1 + next;
    }
  }
  return { recover, react };
}

const isHarmed = (call: MeasuredCall): boolean => call.isFaulted && !isCorrect(recordOf(call));

function timeTo(durations: readonly Duration[]): TimeTo {
  return {
    meanMs: meanDurationMs(durations),
    medianMs: medianDurationMs(durations),
    seen: durations.filter(({ isCensored }) => !isCensored).length,
    of: durations.length,
  };
}
