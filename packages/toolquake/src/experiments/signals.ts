/** What each signal says over some samples: one table, so that steady state, tripwires and reports agree. Pure. */
import { STAGES } from '../core/connection.js';
import { SIGNALS, type CallEnd, type Sample, type SignalName, type SignalQuery } from '../core/sample.js';
import { quantileOf, sorted } from '../gates/latency/order-statistics.js';
import type { SampleBook } from './sample-book.js';

type Source = Sample['source'];
type Of<One extends Source> = Extract<Sample, { readonly source: One }>;

/** `window` signals speak of all of their window; `now` signals only of the newest sample in it. */
export type SignalMemory = 'window' | 'now';

type Reader<One extends Source> = {
  readonly memory: SignalMemory;
  /** Of at least one sample. What is no number is no answer. */
  value(samples: readonly Of<One>[], book: SampleBook, nowMs: number): number;
};
type SourceOf<Name extends SignalName> = (typeof SIGNALS)[Name]['source'];

const share = <Item>(items: readonly Item[], isOne: (item: Item) => boolean): number => items.filter(isOne).length / items.length;
const endedAs = (end: CallEnd): Reader<'call'> => ({ memory: 'window', value: (calls) => share(calls, (call) => call.end === end) });
const quantile = (values: readonly number[], part: number): number =>
  // Sorted numbers hide what is none at their end.
  values.every(Number.isFinite) ? quantileOf(sorted(values), part) : Number.NaN;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** The probes that have been failing without a break, oldest first. */
function failing(book: SampleBook): readonly Of<'probe'>[] {
  const probes = book.since('probe', Number.NEGATIVE_INFINITY);
  return probes.slice(probes.findLastIndex((probe) => probe.isUp) + 1);
}

const isProtocolFailure = ({ isUp, step }: Of<'probe'>): boolean =>
  !isUp && (step === null || STAGES.indexOf(step) < STAGES.indexOf('call'));

/** Restarts since the run began: as the process manager counted them, else how often another process was there. */
function restarts(book: SampleBook): number {
  const all = book.since('process', Number.NEGATIVE_INFINITY);
  const counted = all.flatMap((one) => (one.restarts === undefined ? [] : [one.restarts]));
  if (counted.length > 0) return counted.at(-1)! - counted[0]!;
  const pids = all.map((one) => one.pid).filter((pid) => pid !== 0);
  return pids.filter((pid, index) => index > 0 && pid !== pids[index - 1]).length;
}

const READERS: { readonly [Name in SignalName]: Reader<SourceOf<Name>> } = {
  probe_success: { memory: 'window', value: (probes) => share(probes, (probe) => probe.isUp) },
  probe_p95_ms: {
    memory: 'window',
    value: (probes) =>
      quantile(
        probes.map((probe) => probe.totalMs),
        0.95,
      ),
  },
  consecutive_failures: { memory: 'now', value: (_, book) => failing(book).length },
  outage_seconds: {
    memory: 'now',
    value: (_, book, nowMs) => {
      const first = failing(book)[0];
      return first === undefined ? 0 : (nowMs - first.atMs) / 1000;
    },
  },
  protocol_failures: { memory: 'window', value: (probes) => probes.filter(isProtocolFailure).length },
  // A look that got no status is not the status of the look before.
  health_status: { memory: 'now', value: (probes) => probes.at(-1)?.healthStatus ?? 0 },
  call_success: endedAs('ok'),
  error_rate: { memory: 'window', value: (calls) => share(calls, (call) => call.end !== 'ok') },
  call_p95_ms: {
    memory: 'window',
    value: (calls) =>
      quantile(
        calls.map((call) => call.ms),
        0.95,
      ),
  },
  call_p99_ms: {
    memory: 'window',
    value: (calls) =>
      quantile(
        calls.map((call) => call.ms),
        0.99,
      ),
  },
  empty_rate: endedAs('empty'),
  timeout_rate: endedAs('timeout'),
  rejected_rate: endedAs('rejected'),
  task_failure_rate: { memory: 'window', value: (tasks) => share(tasks, (task) => !task.isDone) },
  attempts_per_task: { memory: 'window', value: (tasks) => mean(tasks.map((task) => task.attempts)) },
  uptime_seconds: {
    memory: 'now',
    value: (all) => {
      const last = all.at(-1);
      return last === undefined || last.pid === 0 ? 0 : last.uptimeMs / 1000;
    },
  },
  restarts: { memory: 'now', value: (_, book) => restarts(book) },
  host_memory: { memory: 'now', value: (all) => all.at(-1)?.memory ?? Number.NaN },
  host_cpu: { memory: 'now', value: (all) => all.at(-1)?.cpu ?? Number.NaN },
  reading: { memory: 'now', value: (all) => all.at(-1)?.value ?? Number.NaN },
};

/** Signals that count what happened: for a tripwire, what happened before the fault is not the fault's. */
export const isCount = (signal: SignalName): boolean => signal === 'protocol_failures';

/** Whether a signal speaks of a whole window or of its newest sample. */
export const memoryOf = (signal: SignalName): SignalMemory => READERS[signal].memory;

/** The samples from `sinceMs` on that a signal is computed from. Where no look ever had a health status, there is nothing to see. */
export function samplesOf({ signal, lane, name }: SignalQuery, book: SampleBook, sinceMs: number): readonly Sample[] {
  const { source } = SIGNALS[signal];
  const samples: readonly Sample[] = book.since(source, sinceMs);
  if (source === 'call') return lane === undefined ? samples : samples.filter((one) => one.source === 'call' && one.lane === lane);
  if (source === 'reading') return name === undefined ? [] : samples.filter((one) => one.source === 'reading' && one.name === name);
  if (signal === 'health_status') return samples.some((one) => one.source === 'probe' && one.healthStatus !== undefined) ? samples : [];
  return samples;
}

/** The value of a signal over samples of its own source; null where they say nothing. */
export function signalValue(signal: SignalName, samples: readonly Sample[], book: SampleBook, nowMs: number): number | null {
  if (samples.length === 0) return null;
  // `samplesOf` asked for the source that stands beside the signal in the table.
  const value = (READERS[signal] as Reader<Source>).value(samples, book, nowMs);
  return Number.isFinite(value) ? value : null;
}
