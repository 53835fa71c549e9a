/** A fixed number of stretches of time. When a run outlasts them, two neighbours become one, so memory stays the same. */

/** Buckets over time, made when something falls into them. */
export type TimeBuckets<Bucket> = {
  at(ms: number): Bucket;
  /** Those that hold something, in order. */
  list(): readonly { readonly fromMs: number; readonly toMs: number; readonly bucket: Bucket }[];
};

/** What buckets are made of. */
export type TimeBucketsOptions<Bucket> = {
  /** Width of the first buckets; it doubles as often as needed. */
  readonly widthMs: number;
  make(): Bucket;
  merge(into: Bucket, from: Bucket): void;
};

/** Enough for a plot that is a thousand pixels wide. */
const BUCKETS = 120;

/** Thirty thousand years: a clock that says more is not to be believed. */
const MAX_MS = 1e15;

/** No bucket yet. */
export function createTimeBuckets<Bucket>({ widthMs, make, merge }: TimeBucketsOptions<Bucket>): TimeBuckets<Bucket> {
  let width = Math.min(MAX_MS, Math.max(0.001, widthMs));
  let held: (Bucket | undefined)[] = [];

  const double = (): void => {
    width *= 2;
    const merged: (Bucket | undefined)[] = [];
    for (const [index, bucket] of held.entries()) {
      if (bucket === undefined) continue;
      const place = index >> 1;
      const present = merged[place];
      if (present === undefined) merged[place] = bucket;
      else merge(present, bucket);
    }
    held = merged;
  };

  return {
    at(given) {
      const ms = Math.min(MAX_MS, Math.max(0, given));
      while (ms / width >= BUCKETS) double();
      const index = Math.floor(ms / width);
      return (held[index] ??= make());
    },
    list: () =>
      [...held.entries()].flatMap(([index, bucket]) =>
        bucket === undefined ? [] : [{ fromMs: index * width, toMs: (index + 1) * width, bucket }],
      ),
  };
}
