/** All that was seen during a run, by source and in order of time. Bounded: windows are short, and so is memory. Pure. */
import type { Sample } from '../core/sample.js';

/** Samples of a run. */
export type SampleBook = {
  add(sample: Sample): void;
  /** Samples of a source from `sinceMs` on, oldest first. */
  since<Source extends Sample['source']>(source: Source, sinceMs: number): readonly Extract<Sample, { readonly source: Source }>[];
  /** The newest sample of a source. */
  last<Source extends Sample['source']>(source: Source): Extract<Sample, { readonly source: Source }> | undefined;
};
