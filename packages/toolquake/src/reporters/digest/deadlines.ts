/**
 * When a live call was too late: by its client's own timeout where that showed, else by the plan, else after 60 s. A
 * timeout shows when a client cancels a call and gives time as the reason; it then holds for its calls of that tool.
 */
import { DEFAULT_DEADLINE_MS } from '@toolquake/sdk/core';
import { groupBy } from './task-assignment.js';
import type { DeadlineSource } from './task-measures.js';

/** What deadlines are worked out from. */
export type TimedCall = {
  readonly run: number;
  readonly session: string;
  readonly tool: string;
  readonly latencyMs: number;
  readonly isTimedOut: boolean;
  readonly planDeadlineMs: number | undefined;
};

/** A call's deadline. */
export type Deadline = { readonly deadlineMs: number; readonly deadlineBy: DeadlineSource };

/** How many calls were judged by one source, and the deadlines that it gave. */
export type DeadlineUse = { readonly source: DeadlineSource; readonly calls: number; readonly lowMs: number; readonly highMs: number };

/** The deadline of every call, from what all of them show. The order of the calls does not matter. */
export function deadlinesOf(calls: readonly TimedCall[]): (call: TimedCall) => Deadline {
  const keyOf = ({ run, session, tool }: TimedCall): string => JSON.stringify([run, session, tool]);
  const timeouts = new Map<string, number>();
  for (const call of calls) {
    // The shortest that showed: a deadline that is too long would flatter.
    if (call.isTimedOut) timeouts.set(keyOf(call), Math.min(timeouts.get(keyOf(call)) ?? Infinity, call.latencyMs));
  }
  return (call) => {
    const own = timeouts.size === 0 ? undefined : timeouts.get(keyOf(call));
    if (own !== undefined) return { deadlineMs: own, deadlineBy: 'client' };
    if (call.planDeadlineMs !== undefined) return { deadlineMs: call.planDeadlineMs, deadlineBy: 'plan' };
    return { deadlineMs: DEFAULT_DEADLINE_MS, deadlineBy: 'default' };
  };
}

const SOURCES: readonly DeadlineSource[] = ['client', 'plan', 'default'];

/** Which sources were used, the best first. */
export function deadlinesIn(calls: readonly Deadline[]): readonly DeadlineUse[] {
  const bySource = groupBy(calls, ({ deadlineBy }) => deadlineBy);
  return SOURCES.flatMap((source) => {
    const own = bySource.get(source) ?? [];
    const [lowMs, highMs] = own.reduce(
      ([low, high], { deadlineMs }) => [Math.min(low, deadlineMs), Math.max(high, deadlineMs)],
      [Infinity, 0],
    );
    return own.length === 0 ? [] : [{ source, calls: own.length, lowMs: lowMs!, highMs: highMs! }];
  });
}
