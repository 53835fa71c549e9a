/** The ratio gate: P95 against P95, two runs of any age. Coarse, quick, and often wrong (docs/latency-gate.md has the rates). */
import { NOTHING_KNOWN, ratioText, sideFigures, type ToolLatency } from './latency-report.js';
import { quantileOf, sorted } from './order-statistics.js';

/** Slower than this times the baseline fails. */
export const MAX_P95_RATIO = 1.5;

/** Fewer samples than this have no P95. */
const MIN_RATIO_SAMPLES = 20;

/** The candidate's P95 over the baseline's. */
export function p95RatioOf(baseline: ArrayLike<number>, candidate: ArrayLike<number>): number {
  return quantileOf(sorted(candidate), 0.95) / quantileOf(sorted(baseline), 0.95);
}

/** Judges a tool by the ratio of its P95s. */
export function judgeByRatio(
  tool: string,
  baselineMs: readonly number[],
  candidateMs: readonly number[],
  maxRatio = MAX_P95_RATIO,
): ToolLatency {
  const [baseline, candidate] = [sideFigures(baselineMs), sideFigures(candidateMs)];
  const known = { ...NOTHING_KNOWN, tool, baseline, candidate, calls: candidateMs.length };
  if (baseline === undefined || candidate === undefined || Math.min(baseline.count, candidate.count) < MIN_RATIO_SAMPLES) {
    const why = `${baselineMs.length} against ${candidateMs.length} samples: a P95 needs ${MIN_RATIO_SAMPLES} on each side`;
    return { ...known, verdict: 'inconclusive', why };
  }
  const p95Ratio = p95RatioOf(baselineMs, candidateMs);
  const isSlower = p95Ratio > maxRatio;
  const why = `P95 is ${ratioText(p95Ratio)} times the baseline's, ${isSlower ? 'above' : 'within'} the limit of ${ratioText(maxRatio)}`;
  return { ...known, verdict: isSlower ? 'slower' : 'passed', why, ratio: candidate.p50 / baseline.p50, p95Ratio };
}
