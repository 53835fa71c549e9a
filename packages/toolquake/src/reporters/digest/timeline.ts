/** How a run went, over time: counted from single calls, or from the windows that a simulator writes. */
import { createSketch, ratioOf, type JournalEntry, type Sketch } from '@toolquake/sdk/core';
import { isAnswered } from './percentiles.js';
import { createTimeBuckets, type TimeBuckets } from './time-buckets.js';

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** One stretch of a timeline. Undefined: nothing happened that would tell. */
export type TimelinePoint = {
  readonly fromMs: number;
  readonly toMs: number;
  readonly calls: number;
  /** Of the tasks where tasks are known, else of the calls. */
  readonly failedShare: number | undefined;
  readonly p50Ms: number | undefined;
  readonly p99Ms: number | undefined;
  readonly callsPerSecond: number;
  /** Undefined where retries cannot be told from calls. */
  readonly retriesPerSecond: number | undefined;
  readonly refusedPerSecond: number | undefined;
  /** Deliveries by rule. */
  readonly faults: ReadonlyMap<string, number>;
};

/** Rules beyond these share no lane of a timeline: they are in the table. */
const MAX_LANES = 12;

type CallBucket = { calls: number; failed: number; latency: Sketch; faults: Map<string, number> };

type WindowBucket = {
  coveredMs: number;
  tasks: number;
  failedTasks: number;
  calls: number;
  failedCalls: number;
  retries: number;
  refused: number;
  /** Sums of percentiles times answered calls: the mean of windows, since percentiles of windows do not add up. */
  p50: number;
  p99: number;
  weight: number;
};

const WINDOW_KEYS = ['coveredMs', 'tasks', 'failedTasks', 'calls', 'failedCalls', 'retries', 'refused', 'p50', 'p99', 'weight'] as const;

const startCalls = (): CallBucket => ({ calls: 0, failed: 0, latency: createSketch(), faults: new Map() });

function mergeCalls(into: CallBucket, from: CallBucket): void {
  into.calls += from.calls;
  into.failed += from.failed;
  into.latency.merge(from.latency);
  for (const [rule, count] of from.faults) countFault(into, rule, count);
}

function countFault({ faults }: CallBucket, rule: string, by: number): void {
  if (faults.has(rule) || faults.size < MAX_LANES) faults.set(rule, (faults.get(rule) ?? 0) + by);
}

const startWindows = (): WindowBucket => Object.fromEntries(WINDOW_KEYS.map((key) => [key, 0])) as WindowBucket;

function mergeWindows(into: WindowBucket, from: WindowBucket): void {
  for (const key of WINDOW_KEYS) into[key] += from[key];
}

/** A timeline that grows. */
export type Timeline = {
  addCall(entry: Entry<'call'>): void;
  addFault(entry: Entry<'fault'>): void;
  addWindow(entry: Entry<'window'>): void;
  /** Lays another run over this one. */
  merge(other: Timeline): void;
  points(): readonly TimelinePoint[];
  /** For `merge` alone. */
  readonly parts: { calls: TimeBuckets<CallBucket> | undefined; windows: TimeBuckets<WindowBucket> | undefined };
};

/** An empty timeline. */
export function createTimeline(): Timeline {
  const parts: Timeline['parts'] = { calls: undefined, windows: undefined };
  const calls = (): TimeBuckets<CallBucket> => (parts.calls ??= createTimeBuckets({ widthMs: 10, make: startCalls, merge: mergeCalls }));
  const windows = (widthMs: number): TimeBuckets<WindowBucket> =>
    (parts.windows ??= createTimeBuckets({ widthMs, make: startWindows, merge: mergeWindows }));
  return {
    parts,
    addCall({ atMs, outcome, latencyMs }) {
      const bucket = calls().at(atMs);
      bucket.calls++;
      if (outcome !== 'ok') bucket.failed++;
      if (isAnswered(outcome)) bucket.latency.add(latencyMs);
    },
    addFault: ({ atMs, rule }) => countFault(calls().at(atMs), rule, 1),
    addWindow(entry) {
      const { atMs, lastsMs, tasks, failedTasks, retries, failedCalls, refused, p50Ms, p99Ms } = entry;
      const weight = p50Ms === undefined || p99Ms === undefined ? 0 : Math.max(1, entry.calls - failedCalls);
      mergeWindows(windows(lastsMs).at(atMs - lastsMs / 2), {
        coveredMs: lastsMs,
        tasks,
        failedTasks,
        calls: entry.calls,
        failedCalls,
        retries,
        refused,
        p50: weight * (p50Ms ?? 0),
        p99: weight * (p99Ms ?? 0),
        weight,
      });
    },
    merge({ parts: other }) {
      for (const { fromMs, toMs, bucket } of other.calls?.list() ?? []) mergeCalls(calls().at((fromMs + toMs) / 2), bucket);
      for (const { fromMs, toMs, bucket } of other.windows?.list() ?? []) {
        mergeWindows(windows(toMs - fromMs).at((fromMs + toMs) / 2), bucket);
      }
    },
    // Windows say more, and count the same calls: where there are any, single calls only tell the faults.
    points: () => (parts.windows === undefined ? callPoints(parts.calls) : windowPoints(parts.windows)),
  };
}

function callPoints(buckets: TimeBuckets<CallBucket> | undefined): readonly TimelinePoint[] {
  return (buckets?.list() ?? []).map(({ fromMs, toMs, bucket }) => ({
    fromMs,
    toMs,
    calls: bucket.calls,
    failedShare: ratioOf(bucket.failed, bucket.calls),
    p50Ms: bucket.latency.quantile(0.5),
    p99Ms: bucket.latency.quantile(0.99),
    callsPerSecond: (1000 * bucket.calls) / (toMs - fromMs),
    retriesPerSecond: undefined,
    refusedPerSecond: undefined,
    faults: bucket.faults,
  }));
}

function windowPoints(buckets: TimeBuckets<WindowBucket>): readonly TimelinePoint[] {
  return buckets.list().map(({ fromMs, toMs, bucket }) => {
    const perSecond = (count: number): number => (1000 * count) / Math.max(0.001, bucket.coveredMs);
    return {
      fromMs,
      toMs,
      calls: bucket.calls,
      failedShare: bucket.tasks === 0 ? ratioOf(bucket.failedCalls, bucket.calls) : Math.min(1, bucket.failedTasks / bucket.tasks),
      p50Ms: ratioOf(bucket.p50, bucket.weight),
      p99Ms: ratioOf(bucket.p99, bucket.weight),
      callsPerSecond: perSecond(bucket.calls),
      retriesPerSecond: perSecond(bucket.retries),
      refusedPerSecond: perSecond(bucket.refused),
      faults: new Map<string, number>(),
    };
  });
}
