/** How far a figure can be trusted: intervals around shares and means, and what chance allows. 95 % throughout. */
import { ratioOf } from './metrics.js';

/** Two ends, the lower first. */
export type Interval = { readonly low: number; readonly high: number };

/** The normal quantile of a two-sided 95 % interval. */
const Z = 1.959963984540054;

/** Student's t for 1 to 30 degrees of freedom; beyond, its expansion in 1/n is exact to four digits. */
const T = [
  12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.306, 2.2622, 2.2281, 2.201, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199, 2.1098,
  2.1009, 2.093, 2.086, 2.0796, 2.0739, 2.0687, 2.0639, 2.0595, 2.0555, 2.0518, 2.0484, 2.0452, 2.0423,
];

/** Wilson's score interval around `successes` of `trials`; honest at 0 and at 1, where the usual formula claims certainty. */
export function wilsonInterval(successes: number, trials: number): Interval | undefined {
  if (trials === 0) return undefined;
  const share = successes / trials;
  const middle = share + (Z * Z) / (2 * trials);
  const spread = Z * Math.sqrt((share * (1 - share)) / trials + (Z * Z) / (4 * trials * trials));
  const scale = 1 + (Z * Z) / trials;
  return {
    low: successes === 0 ? 0 : Math.max(0, (middle - spread) / scale),
    high: successes === trials ? 1 : Math.min(1, (middle + spread) / scale),
  };
}

/** A mean of independent runs with Student's interval; no interval for a single run. */
export function meanInterval(values: readonly number[]): { readonly mean: number | undefined; readonly interval: Interval | undefined } {
  const mean = ratioOf(
    values.reduce((sum, value) => sum + value, 0),
    values.length,
  );
  if (mean === undefined || values.length < 2) return { mean, interval: undefined };
  const freedom = values.length - 1;
  const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / freedom;
  const t = T[freedom - 1] ?? Z + (Z ** 3 + Z) / (4 * freedom) + (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / (96 * freedom ** 2);
  const spread = t * Math.sqrt(variance / values.length);
  return { mean, interval: { low: mean - spread, high: mean + spread } };
}

/** Where 95 % of runs of `trials` independent trials end up, as a share, when each succeeds with `probability`. */
export function chanceInterval(probability: number, trials: number): Interval | undefined {
  if (trials === 0) return undefined;
  // The lower half is exact to compute from 0 upwards; the upper half is its mirror image.
  if (probability > 0.5) {
    const mirror = chanceInterval(1 - probability, trials)!;
    return { low: 1 - mirror.high, high: 1 - mirror.low };
  }
  const variance = trials * probability * (1 - probability);
  if (variance > 100) {
    const spread = (Z * Math.sqrt(variance)) / trials;
    return { low: Math.max(0, probability - spread), high: Math.min(1, probability + spread) };
  }
  return { low: binomialQuantile(0.025, probability, trials) / trials, high: binomialQuantile(0.975, probability, trials) / trials };
}

/** The smallest count that is not exceeded with at least `share` of the chance. */
function binomialQuantile(share: number, probability: number, trials: number): number {
  let chance = (1 - probability) ** trials;
  let total = chance;
  let successes = 0;
  while (total < share && successes < trials) {
    successes++;
    chance *= ((trials - successes + 1) / successes) * (probability / (1 - probability));
    total += chance;
  }
  return successes;
}

/** What independent failures do to a task of `operations` needed operations: 1 - (1 - e)^n. */
export function analyticBlastRadius(failureRate: number, operations: number): number {
  // expm1 and log1p keep the digits of very small rates.
  return failureRate >= 1 ? (operations > 0 ? 1 : 0) : -Math.expm1(operations * Math.log1p(-failureRate));
}

/** The same when the failure rate was measured: `failures` of `calls`, by Wilson's interval. */
export function analyticBlastRadiusInterval(failures: number, calls: number, operations: number): Interval | undefined {
  const rate = wilsonInterval(failures, calls);
  return rate === undefined
    ? undefined
    : { low: analyticBlastRadius(rate.low, operations), high: analyticBlastRadius(rate.high, operations) };
}

/** What the faults alone did: the mean of (with faults - without), in pairs of runs with the same seed. */
export function attributedBlastRadius(pairs: readonly { readonly faulted: number; readonly baseline: number }[]): {
  readonly mean: number | undefined;
  readonly interval: Interval | undefined;
} {
  return meanInterval(pairs.map(({ faulted, baseline }) => faulted - baseline));
}
