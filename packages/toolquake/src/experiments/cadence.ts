/** How often each source has something to say when all is well: what is silent for much longer has stopped. Pure. */
import type { Experiment } from '../core/experiment.js';
import type { Sample } from '../core/sample.js';

/** Milliseconds from one sample of a source to the next. */
export type Cadence = Readonly<Record<Sample['source'], number>>;

/** Sources that nobody gave a rhythm: samplers look about once a second. */
const SAMPLER_MS = 1000;

/** A source that missed so many of its samples is stale. */
const MISSES = 3;

/** Windows may be long; nobody drives blind for longer than this while a source that is quicker says nothing. A probe of a target that hangs may take 25 s. */
const MAX_BLIND_MS = 30_000;
/** Calls that are not of a load of ours: of the sessions that an action holds, for example. */
const CALL_MS = 5000;

/** What an experiment may expect of its sources. */
export function cadenceOf({ monitor, load, readings }: Pick<Experiment, 'monitor' | 'load' | 'readings'>): Cadence {
  // A call is a sample when it ends: at worst its caller has waited all its time for it.
  const callMs = load === undefined ? CALL_MS : 1000 / Math.max(load.perSecond, 0.001) + load.timeoutMs;
  const tries = load === undefined ? 1 : 1 + load.retries;
  const pausesMs = load === undefined ? 0 : load.retryDelayMs * (2 ** load.retries - 1);
  return {
    probe: monitor.everyMs,
    call: callMs,
    task: callMs * tries + pausesMs,
    process: SAMPLER_MS,
    host: SAMPLER_MS,
    reading: Math.max(SAMPLER_MS, ...readings.map((one) => one.everyMs)),
    faults: SAMPLER_MS,
  };
}

/** The age from which the newest sample of a source is stale, for a rule with this window. */
export const staleAfterMs = (intervalMs: number, windowMs: number): number =>
  Math.max(MISSES * intervalMs, Math.min(windowMs, MAX_BLIND_MS));
