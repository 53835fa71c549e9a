/** What sorted latencies say: quantiles, medians, and how far a median can be trusted. */
import type { Interval } from '@toolquake/sdk/core';

/** Numbers in ascending order; the input stays as it is. */
export function sorted(values: ArrayLike<number>): Float64Array {
  return new Float64Array(values).sort();
}

/** The quantile of ascending numbers, interpolated between neighbours (type 7: what R, NumPy and spreadsheets say). */
export function quantileOf(ascending: ArrayLike<number>, share: number): number {
  const place = (ascending.length - 1) * share;
  const below = Math.floor(place);
  const low = ascending[below] ?? Number.NaN;
  const high = ascending[Math.min(below + 1, ascending.length - 1)] ?? Number.NaN;
  return low + (high - low) * (place - below);
}

/** The median of numbers in any order. */
export const medianOf = (values: ArrayLike<number>): number => quantileOf(sorted(values), 0.5);

/**
 * An interval around the median that holds it with at least 95 %, whatever the distribution: two order statistics,
 * chosen by the binomial law. Undefined below six values, where no two of them are far enough apart.
 */
export function medianInterval(values: ArrayLike<number>): Interval | undefined {
  const ascending = sorted(values);
  const count = ascending.length;
  let left = 0;
  // In logarithms: 0.5 ** count would be zero for long series.
  let logChance = -count * Math.LN2;
  let outside = Math.exp(logChance);
  while (outside <= 0.025 && left < count / 2) {
    left++;
    logChance += Math.log((count - left + 1) / left);
    outside += Math.exp(logChance);
  }
  return left === 0 ? undefined : { low: ascending[left - 1]!, high: ascending[count - left]! };
}
