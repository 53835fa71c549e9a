/**
 * Percentiles that add up. Values are counted in buckets whose bounds grow by a constant factor (DDSketch), so that any
 * quantile is within 1 % of the exact one, and merging two sketches equals sketching both series: windows and workers add up.
 */
import { ToolquakeError } from './errors.js';
import { isObject } from './message.js';

/** How far a quantile may be from the exact one, relative to it, for values between 1e-6 and 1e12. */
export const SKETCH_RELATIVE_ERROR = 0.01;

const GAMMA = (1 + SKETCH_RELATIVE_ERROR) / (1 - SKETCH_RELATIVE_ERROR);
const LOG_GAMMA = Math.log(GAMMA);
/** Smaller values count as 0, larger ones share the last bucket: some 2,000 buckets at most. */
const SMALLEST = 1e-6;
const LAST_BUCKET = Math.ceil(Math.log(1e12) / LOG_GAMMA);
const FIRST_BUCKET = Math.ceil(Math.log(SMALLEST) / LOG_GAMMA);

/** A sketch as plain data. `buckets` are pairs of bucket and count, sorted. */
export type SketchData = {
  readonly relativeError: number;
  readonly min?: number;
  readonly max?: number;
  readonly zeros: number;
  readonly buckets: readonly (readonly [bucket: number, count: number])[];
};

/** Counts values, and tells their quantiles. */
export type Sketch = {
  /** Counts a finite value. Durations are meant: below 0 (a clock that stepped back) counts as 0. */
  add(value: number): void;
  /** Adds everything that another sketch has counted. */
  merge(other: Sketch): void;
  /** The value below which a share `q` lies, linear between neighbours as in NumPy and R; undefined while nothing was counted. */
  quantile(q: number): number | undefined;
  readonly count: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  toJSON(): SketchData;
};

/** An empty sketch, or one that goes on from data. */
export function createSketch(from?: SketchData): Sketch {
  const buckets = new Map<number, number>();
  let zeros = 0;
  let count = 0;
  let min: number | undefined;
  let max: number | undefined;

  const widen = (low: number, high: number): void => {
    min = min === undefined || low < min ? low : min;
    max = max === undefined || high > max ? high : max;
  };

  const addData = (data: SketchData): void => {
    if (data.min !== undefined && data.max !== undefined) widen(data.min, data.max);
    zeros += data.zeros;
    count += data.zeros;
    for (const [bucket, more] of data.buckets) {
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + more);
      count += more;
    }
  };

  const sorted = (): [number, number][] => [...buckets].sort(([one], [other]) => one - other);

  /** About the value at a place (from 0) in the sorted series, of which there is at least one. */
  const valueAt = (place: number): number => {
    // Both ends are known exactly.
    if (place === 0) return min!;
    if (place === count - 1) return max!;
    let left = place - zeros;
    if (left < 0) return min!;
    for (const [bucket, held] of sorted()) {
      left -= held;
      // The middle of the bucket in the relative sense; never outside what was seen.
      if (left < 0) return Math.min(max!, Math.max(min!, (2 * GAMMA ** bucket) / (GAMMA + 1)));
    }
    return max!;
  };

  if (from !== undefined) addData(from);
  return {
    add(given) {
      if (!Number.isFinite(given)) throw new RangeError(`A sketch counts finite values, not ${given}.`);
      const value = Math.max(0, given);
      widen(value, value);
      count++;
      if (value < SMALLEST) {
        zeros++;
        return;
      }
      const bucket = Math.min(LAST_BUCKET, Math.ceil(Math.log(value) / LOG_GAMMA));
      buckets.set(bucket, (buckets.get(bucket) ?? 0) + 1);
    },
    merge: (other) => addData(other.toJSON()),
    quantile(q) {
      if (!(q >= 0 && q <= 1)) throw new RangeError(`A quantile lies between 0 and 1, not at ${q}.`);
      if (count === 0) return undefined;
      const position = (count - 1) * q;
      const below = Math.floor(position);
      const value = valueAt(below);
      return below === position ? value : value + (position - below) * (valueAt(below + 1) - value);
    },
    get count() {
      return count;
    },
    get min() {
      return min;
    },
    get max() {
      return max;
    },
    toJSON: () => ({
      relativeError: SKETCH_RELATIVE_ERROR,
      ...(min === undefined || max === undefined ? {} : { min, max }),
      zeros,
      buckets: sorted(),
    }),
  };
}

/** One sketch of everything that the given ones counted; they stay as they are. */
export function mergeSketches(sketches: Iterable<Sketch>): Sketch {
  const all = createSketch();
  for (const sketch of sketches) all.merge(sketch);
  return all;
}

/** Reads a sketch from unknown data, such as a stored line. */
export function sketchFromJSON(json: unknown): Sketch {
  if (!isSketchData(json)) {
    throw new ToolquakeError('WRONG_TYPE', { message: 'This is not a percentile sketch, or one of another precision.' });
  }
  return createSketch(json);
}

function isSketchData(json: unknown): json is SketchData {
  if (!isObject(json) || json['relativeError'] !== SKETCH_RELATIVE_ERROR) return false;
  const { min, max, zeros, buckets } = json;
  if (!isCount(zeros) || !Array.isArray(buckets) || !buckets.every(isBucket)) return false;
  const isEmpty = zeros === 0 && buckets.length === 0;
  if (isEmpty) return min === undefined && max === undefined;
  return typeof min === 'number' && typeof max === 'number' && min >= 0 && min <= max && Number.isFinite(max);
}

function isBucket(pair: unknown): boolean {
  if (!Array.isArray(pair) || pair.length !== 2) return false;
  const [bucket, held] = pair as [unknown, unknown];
  return Number.isInteger(bucket) && Number(bucket) >= FIRST_BUCKET && Number(bucket) <= LAST_BUCKET && isCount(held) && held > 0;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
