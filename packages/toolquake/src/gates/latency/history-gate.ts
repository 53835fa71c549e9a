/**
 * The history gate, for when no baseline build can run beside the candidate. The unit is a run, not a call: thousands of calls of
 * one run say nothing about the next machine. A run is its median and P90, relative to a calibration workload on the same machine;
 * the candidate fails above what one more run like the earlier ones would stay below with 99 %.
 */
import { studentQuantile } from './distributions.js';
import { quantileOf, sorted } from './order-statistics.js';

/** What is kept of a run of one tool: natural logarithms of milliseconds, less those of the calibration workload. */
export type RunLevel = { readonly median: number; readonly p90: number };

/** How strict the gate is: 1 % of clean runs, shared by the two figures. */
export const HISTORY = { minRuns: 8, maxRuns: 50, chance: 0.005, minRatio: 1.15 } as const;

/** A run as one level. Without a calibration, machines that differ look like builds that differ. */
export function runLevel(latenciesMs: ArrayLike<number>, calibrationMs?: ArrayLike<number>): RunLevel {
  const own = sorted(latenciesMs);
  const host = calibrationMs === undefined || calibrationMs.length === 0 ? 0 : Math.log(quantileOf(sorted(calibrationMs), 0.5));
  return { median: Math.log(quantileOf(own, 0.5)) - host, p90: Math.log(quantileOf(own, 0.9)) - host };
}

/** How one figure of the candidate stands against its history. */
export type HistoryFigure = {
  readonly ratio: number;
  readonly limit: number;
  readonly isSlower: boolean;
  /** The ratio that is above the limit in 80 % of runs. */
  readonly visible: number;
};

/** How the candidate stands; undefined while there are too few runs to tell. */
export type HistoryFigures = { readonly runs: number; readonly median: HistoryFigure; readonly p90: HistoryFigure };

/** Compares a run with earlier ones. `minRatio` keeps what is sure but tiny from failing. */
export function historyFigures(
  history: readonly RunLevel[],
  candidate: RunLevel,
  settings: { readonly chance: number; readonly minRatio: number } = HISTORY,
): HistoryFigures | undefined {
  const runs = history.slice(-HISTORY.maxRuns);
  if (runs.length < HISTORY.minRuns) return undefined;
  const against = (key: keyof RunLevel): HistoryFigure => {
    const levels = runs.map((run) => run[key]);
    const mean = levels.reduce((sum, level) => sum + level, 0) / levels.length;
    const freedom = levels.length - 1;
    const variance = levels.reduce((sum, level) => sum + (level - mean) ** 2, 0) / freedom;
    // A prediction for one more run: the spread of runs, and how well their mean is known.
    const deviation = Math.sqrt(variance * (1 + 1 / levels.length));
    const ratio = Math.exp(candidate[key] - mean);
    const limit = Math.max(Math.exp(studentQuantile(settings.chance, freedom) * deviation), settings.minRatio);
    return { ratio, limit, isSlower: ratio > limit, visible: limit * Math.exp(studentQuantile(0.2, freedom) * deviation) };
  };
  return { runs: runs.length, median: against('median'), p90: against('p90') };
}
