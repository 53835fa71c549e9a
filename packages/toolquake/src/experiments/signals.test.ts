import { expect, test } from 'vitest';
import { SIGNALS, type Sample, type SignalName, type SignalQuery } from '../core/sample.js';
import { call, probe } from './fixtures/fake-world.js';
import { createSampleBook } from './sample-book.js';
import { samplesOf, signalValue } from './signals.js';

const valueOf = (
  samples: readonly Sample[],
  query: Partial<SignalQuery> & { readonly signal: SignalName },
  nowMs = 1000,
): number | null => {
  const book = createSampleBook();
  for (const sample of samples) book.add(sample);
  const whole = { windowMs: 1000, minSamples: 1, ...query };
  return signalValue(whole.signal, samplesOf(whole, book, nowMs - whole.windowMs), book, nowMs);
};
const task = (atMs: number, isDone: boolean, attempts: number): Sample => ({ source: 'task', atMs, isDone, attempts, ms: 5 });
const process = (atMs: number, pid: number, uptimeMs: number, restarts?: number): Sample => ({
  source: 'process',
  atMs,
  pid,
  uptimeMs,
  restarts,
});
const probes = [probe(100, true, { totalMs: 10 }), probe(200, false), probe(300, false, { step: 'call', totalMs: 90 }), probe(400, false)];
const calls = [call(1, 'ok'), call(2, 'empty'), call(3, 'timeout'), call(4, 'rejected', 'faulted'), call(5, 'error', 'faulted', 500)];

test.each<[SignalName, number | null, readonly Sample[]]>([
  ['probe_success', 0.25, probes],
  ['probe_p95_ms', 74, [...probes, probe(450, true)]],
  ['consecutive_failures', 3, probes],
  ['consecutive_failures', 0, [...probes, probe(500, true)]],
  ['outage_seconds', 0.8, probes],
  ['outage_seconds', 0, [...probes, probe(500, true)]],
  ['protocol_failures', 2, probes],
  ['health_status', 503, [probe(1, true, { healthStatus: 200 }), probe(2, true, { healthStatus: 503 })]],
  ['call_success', 0.2, calls],
  ['error_rate', 0.8, calls],
  ['empty_rate', 0.2, calls],
  ['timeout_rate', 0.2, calls],
  ['rejected_rate', 0.2, calls],
  ['call_p95_ms', 402, calls],
  ['call_p99_ms', 480.4, calls],
  ['task_failure_rate', 0.5, [task(1, true, 1), task(2, false, 4)]],
  ['attempts_per_task', 2.5, [task(1, true, 1), task(2, false, 4)]],
  ['uptime_seconds', 2, [process(1, 42, 9000), process(2, 43, 2000)]],
  ['uptime_seconds', 0, [process(1, 42, 9000), process(2, 0, 9000)]],
  ['restarts', 2, [process(1, 42, 1, 7), process(2, 43, 1, 9)]],
  ['restarts', 1, [process(1, 42, 1), process(2, 0, 0), process(3, 43, 1), process(4, 43, 1)]],
  ['host_memory', 0.7, [{ source: 'host', atMs: 1, memory: 0.7, cpu: 0.1 }]],
  ['host_cpu', 0.1, [{ source: 'host', atMs: 1, memory: 0.7, cpu: 0.1 }]],
])('%s is %f', (signal, value, samples) => {
  const found = valueOf(samples, { signal });
  if (value === null) expect(found).toBeNull();
  else expect(found).toBeCloseTo(value, 6);
});

test('a lane is read alone, and both without one', () => {
  expect(valueOf(calls, { signal: 'error_rate', lane: 'control' })).toBeCloseTo(2 / 3);
  expect(valueOf(calls, { signal: 'error_rate', lane: 'faulted' })).toBe(1);
});

test('a reading goes by its name', () => {
  const samples: Sample[] = [
    { source: 'reading', atMs: 1, name: 'orders', value: 5 },
    { source: 'reading', atMs: 2, name: 'stock', value: 9 },
  ];
  expect(valueOf(samples, { signal: 'reading', name: 'orders' })).toBe(5);
  expect(valueOf(samples, { signal: 'reading', name: 'nothing' })).toBeNull();
  expect(valueOf(samples, { signal: 'reading' })).toBeNull();
});

test('a look that got no health status is not the 200 of the look before; where none ever had one, there is nothing to see', () => {
  expect(valueOf([probe(1, true, { healthStatus: 200 }), probe(2, false)], { signal: 'health_status' })).toBe(0);
  expect(valueOf([probe(1, true)], { signal: 'health_status' })).toBeNull();
});

test('invariant 13: what is no number is no value', () => {
  expect(valueOf([probe(1, true, { totalMs: Number.NaN }), probe(2, true)], { signal: 'probe_p95_ms' })).toBeNull();
  expect(valueOf([{ source: 'host', atMs: 1, memory: Number.NaN, cpu: Number.POSITIVE_INFINITY }], { signal: 'host_cpu' })).toBeNull();
  expect(valueOf([call(1, 'ok', 'control', Number.NaN)], { signal: 'call_p99_ms' })).toBeNull();
});

test('invariant 13: every signal is silent on samples of every other source', () => {
  const all: Sample[] = [
    ...probes.map((one) => ({ ...one, healthStatus: 200 })),
    ...calls,
    task(1, true, 1),
    process(1, 42, 1),
    { source: 'host', atMs: 1, memory: 0.5, cpu: 0.5 },
    { source: 'reading', atMs: 1, name: 'orders', value: 1 },
  ];
  // The keys of the table.
  for (const signal of Object.keys(SIGNALS) as SignalName[]) {
    const others = all.filter((sample) => sample.source !== SIGNALS[signal].source);
    expect(valueOf(others, { signal, name: 'orders' }), signal).toBeNull();
    expect(valueOf(all, { signal, name: 'orders' }), signal).not.toBeNull();
  }
});
