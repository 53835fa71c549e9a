/** What a latency gate found, for every face: tables, JSON, exit codes. */
import type { Interval } from '@toolquake/sdk/core';
import { quantileOf, sorted } from './order-statistics.js';

/** The gates. */
export type GateName = 'paired' | 'ratio' | 'history';

/** What became of a tool. `aborted`: its calls failed, so nothing can be said of their latency. */
export type LatencyVerdict = 'passed' | 'slower' | 'inconclusive' | 'aborted';

/** Percentiles of one side, in milliseconds. */
export type SideFigures = { readonly count: number; readonly p50: number; readonly p95: number; readonly p99: number };

/** One tool of the result. What a gate does not know is undefined. */
export type ToolLatency = {
  readonly tool: string;
  readonly verdict: LatencyVerdict;
  /** A sentence: what was seen, and what it was held against. */
  readonly why: string;
  readonly baseline: SideFigures | undefined;
  readonly candidate: SideFigures | undefined;
  /** Candidate over baseline: of the medians, block by block where there are blocks. */
  readonly ratio: number | undefined;
  readonly interval: Interval | undefined;
  readonly p95Ratio: number | undefined;
  /** The smallest slowdown that this comparison sees in 80 % of runs, as a share; Infinity when it is blind. */
  readonly detectable: number | undefined;
  /** Calls per side. */
  readonly calls: number;
  /** Whose call failed, when it was aborted. */
  readonly failedSide: 'baseline' | 'candidate' | 'calibration' | undefined;
};

/** A tool of which nothing is known yet: what a gate found is put over it. */
export const NOTHING_KNOWN = {
  baseline: undefined,
  candidate: undefined,
  ratio: undefined,
  interval: undefined,
  p95Ratio: undefined,
  detectable: undefined,
  calls: 0,
  failedSide: undefined,
} as const;

/** The whole result. */
export type LatencyReport = {
  readonly gate: GateName;
  readonly tools: readonly ToolLatency[];
  /** What this comparison cannot know; printed with every result. */
  readonly caveats: readonly string[];
};

/** The worst that became of any tool. */
export function verdictOf(tools: readonly { readonly verdict: LatencyVerdict }[]): LatencyVerdict {
  const order: readonly LatencyVerdict[] = ['aborted', 'slower', 'inconclusive'];
  return order.find((verdict) => tools.some((tool) => tool.verdict === verdict)) ?? 'passed';
}

/** Percentiles of latencies; undefined when there are none. */
export function sideFigures(latencies: ArrayLike<number>): SideFigures | undefined {
  if (latencies.length === 0) return undefined;
  const ascending = sorted(latencies);
  const at = (share: number): number => quantileOf(ascending, share);
  return { count: ascending.length, p50: at(0.5), p95: at(0.95), p99: at(0.99) };
}

/** `1.18`, for ratios. */
export const ratioText = (ratio: number): string => ratio.toFixed(2);

/** `18 %`, for shares that may be very large or infinite. */
export const shareText = (share: number): string => (share > 10 ? 'more than 1000 %' : `${Math.round(100 * share)} %`);

/** A chance in short: never zero. */
export const chanceText = (chance: number): string => (chance < 0.0001 ? 'p < 0.0001' : `p = ${Number(chance.toPrecision(2))}`);
