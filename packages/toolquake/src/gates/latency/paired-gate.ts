/**
 * The paired, interleaved two-stage gate. Both builds are measured in blocks, side by side; a block says one thing: the ratio of
 * its two medians. Stage one is short and passes what looks the same; what looks slower is measured again, on fresh calls, and
 * judged strictly. Two looks keep false alarms rare without making every clean run pay for it.
 */
import type { Interval } from '@toolquake/sdk/core';
import { fisherUpperTail } from './distributions.js';
import { medianInterval, medianOf, quantileOf, sorted } from './order-statistics.js';
import { wilcoxonUpperTail } from './rank-tests.js';

/** Latencies of one block, in milliseconds. */
export type Block = { readonly baseline: readonly number[]; readonly candidate: readonly number[] };

/** Length and strictness of the two stages. */
export type PairedSettings = {
  readonly callsPerBlock: number;
  readonly first: { readonly blocks: number; readonly alpha: number; readonly minRatio: number; readonly minTailRatio: number };
  readonly second: { readonly blocks: number; readonly alpha: number; readonly minRatio: number; readonly minTailRatio: number };
};

/** 50 calls per side, and 200 more where stage one has a suspicion. */
export const PAIRED: PairedSettings = {
  callsPerBlock: 5,
  first: { blocks: 10, alpha: 0.1, minRatio: 1.05, minTailRatio: 1.25 },
  second: { blocks: 40, alpha: 0.002, minRatio: 1.1, minTailRatio: 1.25 },
};

/** What blocks say about a change from baseline to candidate. */
export type PairedFigures = {
  readonly blocks: number;
  /** Median of the block ratios. */
  readonly ratio: number;
  /** Where that median lies with 95 %. */
  readonly interval: Interval | undefined;
  /** The chance of such ratios when nothing changed (Wilcoxon, one-sided). */
  readonly shiftChance: number;
  readonly p95Ratio: number;
  /** The chance of so many slow calls on the candidate's side when nothing changed (Fisher, beyond the pooled P90). */
  readonly tailChance: number;
};

/** The logarithm of each block's ratio of medians. */
export function blockLogRatios(blocks: readonly Block[]): readonly number[] {
  return blocks.map(({ baseline, candidate }) => Math.log(medianOf(candidate) / medianOf(baseline)));
}

/** Sums blocks up. */
export function pairedFigures(blocks: readonly Block[]): PairedFigures {
  const logRatios = blockLogRatios(blocks);
  const interval = medianInterval(logRatios);
  const baseline = sorted(blocks.flatMap((block) => block.baseline));
  const candidate = sorted(blocks.flatMap((block) => block.candidate));
  return {
    blocks: blocks.length,
    ratio: Math.exp(medianOf(logRatios)),
    interval: interval && { low: Math.exp(interval.low), high: Math.exp(interval.high) },
    shiftChance: wilcoxonUpperTail(logRatios),
    p95Ratio: quantileOf(candidate, 0.95) / quantileOf(baseline, 0.95),
    tailChance: slowCallChance(baseline, candidate),
  };
}

/** Are there more of the slowest tenth of all calls on the candidate's side than luck allows? */
function slowCallChance(baseline: Float64Array, candidate: Float64Array): number {
  const pooled = new Float64Array(baseline.length + candidate.length);
  pooled.set(baseline);
  pooled.set(candidate, baseline.length);
  const limit = quantileOf(pooled.sort(), 0.9);
  const beyond = (values: Float64Array): number => values.reduce((count, value) => (value > limit ? count + 1 : count), 0);
  const hits = beyond(candidate);
  return fisherUpperTail({ hits, drawn: candidate.length, marked: hits + beyond(baseline), total: pooled.length });
}

/** After stage one: does this look slower, so that it is worth measuring again? */
export function isSuspicious({ shiftChance, ratio, p95Ratio }: PairedFigures, { first }: PairedSettings): boolean {
  return (shiftChance < first.alpha && ratio >= first.minRatio) || p95Ratio >= first.minTailRatio;
}

/** What stage two found: everything slower, or more calls that are very slow. */
export type Slowdown = 'shift' | 'tail';

/** After stage two, on fresh blocks: what got slower beyond doubt. */
export function slowdownsOf(figures: PairedFigures, { second }: PairedSettings): readonly Slowdown[] {
  const found: Slowdown[] = [];
  if (figures.shiftChance < second.alpha && figures.ratio >= second.minRatio) found.push('shift');
  if (figures.tailChance < second.alpha && figures.p95Ratio >= second.minTailRatio) found.push('tail');
  return found;
}
