/** A figure over several runs: its mean, and how far that can be trusted. */
import { meanInterval, wilsonInterval, type Interval } from '@toolquake/sdk/core';
import { addToSample, type Sample } from './bounded-map.js';

/** A mean over runs. No interval: one run only. */
export type Estimate = { readonly mean: number | undefined; readonly interval: Interval | undefined };

/** Values beyond these add nothing that a plot could show. */
const MAX_VALUES = 2000;

/** No values yet. */
export const startSample = (): Sample<number> => ({ values: [], seen: 0 });

/** Adds a value, unless it is unknown. */
export function addValue(sample: Sample<number>, value: number | undefined): void {
  if (value !== undefined && Number.isFinite(value)) addToSample(sample, value, MAX_VALUES);
}

/** The mean of a sample with Student's interval. */
export function estimateOf({ values }: Sample<number>): Estimate {
  return meanInterval(values);
}

/** A share over runs: Student's interval from the runs, or where these all agree (often: on zero) Wilson's from the counts. */
export function shareEstimateOf(sample: Sample<number>, count: number, whole: number): Estimate {
  const { mean, interval } = estimateOf(sample);
  const isTelling = interval !== undefined && interval.low < interval.high;
  const chosen = isTelling ? interval : wilsonInterval(Math.min(count, whole), whole);
  return { mean, interval: chosen === undefined ? undefined : { low: Math.max(0, chosen.low), high: Math.min(1, chosen.high) } };
}
