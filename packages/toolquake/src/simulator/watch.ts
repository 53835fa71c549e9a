/** What is noted while a system runs: counts per window, marks and the sequences they form, levels, and how it recovered. */
import {
  createSketch,
  KNOWN_SEQUENCES,
  watchSequence,
  type JournalEntry,
  type JournalSink,
  type Sketch,
  type WindowCounts,
} from '@toolquake/sdk/core';
import type { VirtualClock } from './virtual-clock.js';

/** Counts of the window that is open. Whoever sees something raises the number. */
export type OpenWindow = {
  tasks: number;
  failedTasks: number;
  calls: number;
  retries: number;
  failedCalls: number;
  refused: number;
};

/** What a watch works with. */
export type WatchOptions = {
  readonly clock: VirtualClock;
  readonly windowMs: number;
  readonly journal: JournalSink | undefined;
  readonly inFlight: () => number;
  /** Tasks under way. */
  readonly tasksOpen: () => number;
  /** From when on nothing is disturbed any more; undefined: never disturbed. */
  readonly calmAtMs: number | undefined;
  /** From when on no more tasks arrive. */
  readonly lastsMs: number | undefined;
};

/** See the module comment. */
export type Watch = {
  readonly open: OpenWindow;
  /** A task is over. */
  taskEnded(isFailed: boolean): void;
  /** An answer came after so long. */
  answered(latencyMs: number): void;
  /** The first of its kind in a window is written down; all count. */
  mark(mark: string, where: string): void;
  /** More retries than first attempts in one window: more than half of what is sent is repetition. */
  retried(where: string): void;
  /** Ends the window; called every `windowMs`, and once more at the end for what is left. */
  turn(): void;
  /** Starts a level of a walk through values. */
  startLevel(level: { readonly way: 'up' | 'down'; readonly what: string; readonly value: number } | undefined): void;
  /** Levels that are over, in order. */
  readonly levels: readonly LevelEntry[];
  figures(): Readonly<Record<string, number>>;
};

/** What came of one level, as in the journal. */
export type LevelEntry = JournalEntry & { kind: 'level' };

/** Fewer retries than this in a window are no spike, whatever their share. */
const MIN_SPIKE = 20;
/** A window with a larger share of failed tasks than this is a bad one. */
const BAD_SHARE = 0.05;

const empty = (): OpenWindow => ({ tasks: 0, failedTasks: 0, calls: 0, retries: 0, failedCalls: 0, refused: 0 });

/** Starts watching. */
export function createWatch({ clock, windowMs, journal, inFlight, tasksOpen, calmAtMs, lastsMs }: WatchOptions): Watch {
  const open = empty();
  let openedAtMs = 0;
  const total = { calls: 0, retries: 0, refused: 0, peakCalls: 0, peakInFlight: 0, peakTasks: 0 };
  let latencies: Sketch = createSketch();
  /** How often each mark was made, and where it was written down in this window. */
  const marks = new Map<string, { count: number; readonly written: Set<string> }>();
  const sequences = KNOWN_SEQUENCES.map((sequence) => watchSequence(sequence));
  const found = new Map<string, number>();
  const levels: LevelEntry[] = [];
  let level: { way: 'up' | 'down'; what: string; value: number; tasks: number; failed: number } | undefined;
  const after = { tasks: 0, failedTasks: 0, lastBadMs: undefined as number | undefined, isLastBad: false };
  let last: Pick<OpenWindow, 'tasks' | 'failedTasks'> = empty();

  const mark = (name: string, where: string): void => {
    let known = marks.get(name);
    if (known === undefined) marks.set(name, (known = { count: 0, written: new Set() }));
    known.count++;
    if (known.written.has(where)) return;
    known.written.add(where);
    const atMs = clock.nowMs();
    journal?.({ kind: 'mark', atMs, mark: name, where });
    for (const sequence of sequences) {
      const hit = sequence.hear(name, atMs);
      if (hit === undefined) continue;
      found.set(hit.sequence, (found.get(hit.sequence) ?? 0) + 1);
      journal?.({ kind: 'sequence', ...hit });
    }
  };

  /** Is the system well again? Judged by whole windows after the last disturbance. */
  const judgeRecovery = ({ tasks, failedTasks }: OpenWindow, atMs: number): void => {
    if (calmAtMs === undefined || openedAtMs < calmAtMs || tasks === 0) return;
    after.tasks += tasks;
    after.failedTasks += failedTasks;
    // Stragglers, where nothing arrives any more: mostly those that fail in the end. They count with the last window before.
    const isTail = atMs - openedAtMs < windowMs || openedAtMs >= (lastsMs ?? Number.POSITIVE_INFINITY);
    last = isTail ? { tasks: last.tasks + tasks, failedTasks: last.failedTasks + failedTasks } : { tasks, failedTasks };
    after.isLastBad = last.failedTasks / last.tasks > BAD_SHARE;
    if (after.isLastBad && !isTail) after.lastBadMs = atMs;
  };

  const endLevel = (): void => {
    if (level === undefined) return;
    const { way, what, value, tasks, failed } = level;
    levels.push({ kind: 'level', atMs: clock.nowMs(), way, what, value, failedShare: tasks === 0 ? 0 : failed / tasks, tasks });
    journal?.(levels.at(-1)!);
  };

  return {
    open,
    levels,
    taskEnded(isFailed) {
      open.tasks++;
      if (isFailed) open.failedTasks++;
      if (level === undefined) return;
      level.tasks++;
      if (isFailed) level.failed++;
    },
    answered: (latencyMs) => latencies.add(latencyMs),
    mark,
    retried(where) {
      open.retries++;
      if (open.retries >= MIN_SPIKE && open.retries * 2 > open.calls + open.refused) mark('retry-spike', where);
    },
    turn() {
      const atMs = clock.nowMs();
      if (atMs === openedAtMs && open.tasks + open.calls + open.refused === 0) return;
      const flying = inFlight();
      const quantiles: Partial<WindowCounts> =
        latencies.count === 0 ? {} : { p50Ms: latencies.quantile(0.5) ?? 0, p99Ms: latencies.quantile(0.99) ?? 0 };
      journal?.({ kind: 'window', atMs, lastsMs: atMs - openedAtMs, ...open, inFlight: flying, ...quantiles });
      total.calls += open.calls;
      total.retries += open.retries;
      total.refused += open.refused;
      total.peakCalls = Math.max(total.peakCalls, (open.calls * 1000) / windowMs);
      total.peakInFlight = Math.max(total.peakInFlight, flying);
      total.peakTasks = Math.max(total.peakTasks, tasksOpen());
      judgeRecovery(open, atMs);
      Object.assign(open, empty());
      openedAtMs = atMs;
      if (latencies.count > 0) latencies = createSketch();
      for (const { written } of marks.values()) written.clear();
    },
    startLevel(next) {
      endLevel();
      level = next === undefined ? undefined : { ...next, tasks: 0, failed: 0 };
    },
    figures() {
      const { retries, refused, peakCalls, peakInFlight, peakTasks } = total;
      const recovery: Record<string, number> =
        calmAtMs === undefined || after.tasks === 0
          ? {}
          : {
              failedAfter: after.failedTasks / after.tasks,
              stayedDown: after.isLastBad ? 1 : 0,
              ...(after.isLastBad ? {} : { recoverMs: Math.max(0, (after.lastBadMs ?? calmAtMs) - calmAtMs) }),
            };
      return {
        retries,
        refused,
        peakCallsPerSecond: peakCalls,
        peakInFlight,
        peakTasks,
        ...recovery,
        ...Object.fromEntries(found),
        poolExhausted: marks.get('pool-exhausted')?.count ?? 0,
      };
    },
  };
}
