/** All that was seen during a run, by source and in order of time. Bounded: windows are short, and so is memory. Pure. */
import type { Sample } from '../core/sample.js';

type Source = Sample['source'];
type Of<One extends Source> = Extract<Sample, { readonly source: One }>;

/** Samples of a run. */
export type SampleBook = {
  add(sample: Sample): void;
  /** Samples of a source from `sinceMs` on, oldest first. */
  since<One extends Source>(source: One, sinceMs: number): readonly Of<One>[];
  /** The newest sample of a source. */
  last<One extends Source>(source: One): Of<One> | undefined;
  /** Calls so far, those that the book has forgotten included, and how many of them were hit. */
  counts(): { readonly calls: number; readonly faulted: number };
};

/** The most samples of one source that are kept. An hour at 20 a second is 72 000; windows are minutes. */
const MAX_SAMPLES = 50_000;

/** The place of the first sample that is not older than `atMs`, in samples in order of time. */
function placeOf(samples: readonly Sample[], atMs: number): number {
  let low = 0;
  let high = samples.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (samples[middle]!.atMs < atMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Starts an empty book. */
export function createSampleBook(maxSamples = MAX_SAMPLES): SampleBook {
  const pages = new Map<Source, Sample[]>();
  let seen = 0;
  let faulted = 0;
  let passed = 0;
  let delivered = 0;

  // The key of a page is the source of everything on it.
  const page = <One extends Source>(source: One): readonly Of<One>[] => (pages.get(source) ?? []) as unknown as readonly Of<One>[];

  return {
    add(sample) {
      // A time that is none has no place in any window; the source is then as good as silent.
      if (!Number.isFinite(sample.atMs)) return;
      if (sample.source === 'call') {
        seen++;
        if (sample.lane === 'faulted') faulted++;
      } else if (sample.source === 'faults') {
        passed = Math.max(passed, sample.calls);
        delivered = Math.max(delivered, sample.delivered);
      }
      const samples = pages.get(sample.source) ?? [];
      pages.set(sample.source, samples);
      // Nearly always the newest; other processes may tell of theirs a little later.
      const last = samples.at(-1);
      if (last === undefined || last.atMs <= sample.atMs) samples.push(sample);
      else samples.splice(placeOf(samples, sample.atMs + Number.EPSILON * Math.abs(sample.atMs)), 0, sample);
      // Cut in large pieces: moving all of them for each new one would cost the square of their number.
      if (samples.length > 2 * maxSamples) samples.splice(0, samples.length - maxSamples);
    },
    since(source, sinceMs) {
      const samples = page(source);
      return samples.slice(placeOf(samples, sinceMs));
    },
    last: (source) => page(source).at(-1),
    counts: () => ({ calls: Math.max(seen, passed), faulted: Math.max(faulted, delivered) }),
  };
}
