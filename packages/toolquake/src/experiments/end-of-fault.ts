/** The steady state at the end of the fault, as it is known afterwards: whoever was waiting for an answer then had not told yet. Pure. */
import type { Experiment } from '../core/experiment.js';
import type { RunEntry } from '../core/run-entry.js';
import type { Sample } from '../core/sample.js';
import { cadenceOf } from './cadence.js';
import { createSampleBook } from './sample-book.js';
import { lookAtSteady, rulesOf, type SteadyLook } from './steady-state.js';

/** Every sample is dated when its call or probe ended. */
function tookMs(sample: Sample): number {
  if (sample.source === 'probe') return sample.totalMs;
  return sample.source === 'call' || sample.source === 'task' ? sample.ms : 0;
}

/** One more look at the rules of the fault, with what began before its end and ended after it. */
export function lookAtEndOfFault(entries: readonly RunEntry[], experiment: Experiment, undoMs: number): SteadyLook {
  const book = createSampleBook();
  for (const entry of entries) {
    if (entry.kind !== 'sample') continue;
    const { sample } = entry;
    if (sample.atMs <= undoMs) book.add(sample);
    else if (sample.atMs - tookMs(sample) < undoMs) book.add({ ...sample, atMs: undoMs });
  }
  return lookAtSteady(rulesOf(experiment, 'during'), 'during', book, undoMs, cadenceOf(experiment));
}
