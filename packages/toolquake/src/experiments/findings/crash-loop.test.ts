import { expect, test } from 'vitest';
import { each, END_MS, found } from '../fixtures/journal.js';
import type { Sample } from '../../core/sample.js';
import { crashLoop } from './crash-loop.js';

test('a healthy run has none', () => {
  expect(found(crashLoop)).toBeUndefined();
});

const processes = (pid: (atMs: number) => number, restarts?: (atMs: number) => number): readonly Sample[] =>
  each(0, END_MS).map((atMs) => ({
    source: 'process',
    atMs,
    pid: pid(atMs),
    uptimeMs: 1000,
    ...(restarts === undefined ? {} : { restarts: restarts(atMs) }),
  }));

test('a process that lives through the fault', () => {
  expect(found(crashLoop, { samples: processes(() => 42) })).toBeUndefined();
});

test('a process that is another one again and again', () => {
  expect(found(crashLoop, { samples: processes((atMs) => (atMs < 10_000 ? 42 : 100 + Math.floor(atMs / 2000))) })).toContain(
    'times by itself',
  );
});

test('restarts that only the process manager was quick enough to see', () => {
  const samples = processes(
    () => 42,
    (atMs) => (atMs < 10_000 ? 7 : 7 + Math.min(5, Math.floor((atMs - 10_000) / 1000))),
  );
  expect(found(crashLoop, { samples })).toContain('5 times');
});

test('a process that was killed once and came back', () => {
  const samples = processes((atMs) => (atMs < 10_000 ? 42 : atMs < 11_000 ? 0 : 43));
  expect(found(crashLoop, { action: 'kill-process', samples })).toBeUndefined();
});

test('restarts from before the fault do not count', () => {
  expect(found(crashLoop, { samples: processes((atMs) => (atMs < 10_000 ? Math.floor(atMs / 500) + 1 : 20)) })).toBeUndefined();
});

test('replicas that were all killed once, and came back one after the other', () => {
  const samples = processes(
    (atMs) => (atMs < 10_000 ? 42 : 100 + Math.min(7, Math.floor((atMs - 10_000) / 1000))),
    (atMs) => (atMs < 10_000 ? 0 : Math.min(8, Math.floor((atMs - 10_000) / 1000))),
  ).map((sample) => ({ ...sample, processes: 8 }));
  expect(found(crashLoop, { action: 'kill-process', samples })).toBeUndefined();
});

test('as many restarts as were asked for, and not one more', () => {
  const restarted = (times: number) =>
    processes(
      () => 42,
      (atMs) => (atMs < 10_000 ? 0 : Math.min(times, Math.floor((atMs - 10_000) / 500))),
    );
  const experiment = { actions: [{ id: 'one', action: 'restart-server', params: { times: 6 }, forMs: 1000 }] };
  expect(found(crashLoop, { action: 'restart-server', experiment, samples: restarted(6) })).toBeUndefined();
  expect(found(crashLoop, { action: 'restart-server', experiment, samples: restarted(9) })).toContain('3 times');
});
