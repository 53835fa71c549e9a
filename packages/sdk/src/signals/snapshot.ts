/** Signals as plain data. Units are in the names. Pure. */
import type { RecentFigures } from './operation-book.js';
import type { SignalState } from './signal-state.js';

/** A pool, and how full it is. */
export type PoolSnapshot = {
  readonly max: number;
  readonly total: number;
  readonly idle: number;
  readonly waiting: number;
  /** Share of `max` that is in use. */
  readonly utilization: number;
};

/** See the module comment. What cannot be known is null, never 0. */
export type SignalSnapshot = {
  readonly uptimeSeconds: number;
  readonly operations: {
    readonly total: number;
    readonly inFlight: number;
    /** By tool, and by method where it is no tool call, over the last five minutes. */
    readonly recent: readonly RecentFigures[];
  };
  readonly sessions: { readonly active: number; readonly total: number };
  readonly saturation: {
    readonly eventLoopDelayP99Ms: number | null;
    readonly eventLoopUtilization: number | null;
    readonly heapUsedMegabytes: number | null;
    readonly heapAfterGcMegabytes: number | null;
    readonly heapLimitMegabytes: number | null;
    /** Of the limit, after a collection where one was seen. */
    readonly heapUtilization: number | null;
    readonly rssMegabytes: number | null;
    readonly rssGrowthPerHour: number | null;
    readonly pools: Readonly<Record<string, PoolSnapshot>>;
  };
  readonly problems: number;
};

/** The state as a snapshot. */
export function snapshotOf({
  book,
  sessions,
  inFlight,
  problems,
  uptimeSeconds,
  process,
  growthPerHour,
  pools,
}: SignalState): SignalSnapshot {
  const megabytes = (bytes: number | undefined): number | null => (bytes === undefined ? null : Math.round(bytes / 1e5) / 10);
  const delay = process?.eventLoopDelayP99Seconds;
  return {
    uptimeSeconds: Math.round(uptimeSeconds),
    operations: { total: book.total, inFlight, recent: book.recent() },
    sessions: { active: sessions.active, total: sessions.total },
    saturation: {
      eventLoopDelayP99Ms: delay === undefined ? null : delay * 1000,
      eventLoopUtilization: process?.eventLoopUtilization ?? null,
      heapUsedMegabytes: megabytes(process?.heapUsedBytes),
      heapAfterGcMegabytes: megabytes(process?.heapAfterGcBytes),
      heapLimitMegabytes: megabytes(process?.heapLimitBytes),
      heapUtilization: process === undefined ? null : (process.heapAfterGcBytes ?? process.heapUsedBytes) / process.heapLimitBytes,
      rssMegabytes: megabytes(process?.rssBytes),
      rssGrowthPerHour: growthPerHour ?? null,
      pools: Object.fromEntries(
        [...pools].map(([name, pool]) => [name, { ...pool, utilization: pool.max === 0 ? 0 : (pool.total - pool.idle) / pool.max }]),
      ),
    },
    problems,
  };
}
