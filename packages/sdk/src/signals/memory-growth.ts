/**
 * Does memory grow, and how fast? The median of all slopes between two readings (Theil-Sen): neither one spike nor the
 * teeth of a garbage collector move it, which two readings an hour apart would be all at the mercy of. Pure.
 */

const HOUR_MS = 3_600_000;
/** A program fills its caches first. */
const WARM_UP_MS = HOUR_MS / 2;
/** Shorter than this, a slope says more about the moment than about a leak. */
const LEAST_SPAN_MS = 3 * HOUR_MS;
const MAX_READINGS = 240;

/** Readings of one quantity over time. */
export type Growth = {
  /** Notes a reading, at times that do not go back. */
  add(atMs: number, value: number): void;
  /** Growth per hour as a share of the median; undefined as long as it cannot be known. */
  perHour(): number | undefined;
};

/** No readings yet. `startedAtMs` is when the program began. */
export function createGrowth(startedAtMs: number): Growth {
  let readings: (readonly [atMs: number, value: number])[] = [];
  return {
    add(atMs, value) {
      if (atMs - startedAtMs < WARM_UP_MS) return;
      readings.push([atMs, value]);
      // Every other one goes, so that the span stays and the work has a bound; what is new is still close together.
      if (readings.length > MAX_READINGS) {
        const oldest = readings.at(-1)![0] - 2 * LEAST_SPAN_MS;
        readings = readings.filter(([at], index) => at >= oldest && index % 2 === 0);
      }
    },
    perHour() {
      const first = readings[0];
      const last = readings.at(-1);
      if (first === undefined || last === undefined || last[0] - first[0] < LEAST_SPAN_MS) return undefined;
      const slopes = readings.flatMap(([at, value], index) =>
        readings.slice(index + 1).flatMap(([later, then]) => (later > at ? [(then - value) / (later - at)] : [])),
      );
      const middle = median(readings.map(([, value]) => value));
      return middle > 0 ? (median(slopes) * HOUR_MS) / middle : undefined;
    },
  };
}

function median(values: number[]): number {
  const sorted = values.sort((one, other) => one - other);
  const half = sorted.length / 2;
  return Number.isInteger(half) ? (sorted[half - 1]! + sorted[half]!) / 2 : sorted[Math.floor(half)]!;
}
