import { createManualClock } from '@toolquake/sdk/testing';
import { expect, test } from 'vitest';
import type { Sample } from '../core/sample.js';
import { identify } from '../undo/process-identity.js';
import type { ProcessLook, ProcessManager } from './process-manager.js';
import { processSample, watchProcess } from './watch-process.js';

const ourselves = { identity: identify(process.pid)!, uptimeMs: 5 };
const settled = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

/** Looks in order; the last one is repeated. An error is a manager that does not answer. */
function managerOf(looks: (ProcessLook | Error)[]): { manager: ProcessManager; asked: () => number } {
  let asked = 0;
  const never = async (): Promise<never> => Promise.reject(new Error('not asked here'));
  const look = async (): Promise<ProcessLook> => {
    const next = looks[Math.min(asked++, looks.length - 1)]!;
    if (next instanceof Error) throw next;
    return next;
  };
  return {
    manager: { spec: { kind: 'own' }, variables: {}, about: 'it', look, restartPolicy: never, start: never, restart: never },
    asked: () => asked,
  };
}

async function watched(looks: (ProcessLook | Error)[], forMs: number): Promise<{ samples: Sample[]; asked: number }> {
  const clock = createManualClock();
  const samples: Sample[] = [];
  const { manager, asked } = managerOf(looks);
  const stop = new AbortController();
  const done = watchProcess(manager, {
    everyMs: 1000,
    nowMs: clock.nowMs,
    clock,
    signal: stop.signal,
    onSample: (sample) => samples.push(sample),
  });
  for (let ms = 0; ms < forMs; ms += 1000) {
    await settled();
    clock.advance(1000);
  }
  await settled();
  stop.abort();
  await done;
  expect(clock.waiting).toBe(0);
  return { samples, asked: asked() };
}

test('a process that goes on is looked at each round, and its manager asked only now and then', async () => {
  const { samples, asked } = await watched([{ processes: [ourselves], expected: 1, restarts: 7 }], 9000);
  expect(samples).toHaveLength(10);
  expect(samples[0]).toMatchObject({ source: 'process', atMs: 0, pid: process.pid, restarts: 0 });
  expect(asked).toBe(2);
});

test('while a process is missing its manager is asked each round', async () => {
  const { samples, asked } = await watched([{ processes: [], expected: 1, restarts: 7 }], 3000);
  expect(asked).toBe(4);
  expect(samples.at(-1)).toMatchObject({ pid: 0, uptimeMs: 0 });
});

test('a manager that does not answer is silence, not a process that is down', async () => {
  expect((await watched([new Error('no daemon')], 3000)).samples).toEqual([]);
});

test('the youngest of the replicas is told, and none while one is missing', () => {
  const old = { identity: { ...ourselves.identity, pid: 7, startTicks: 0 }, uptimeMs: 9 };
  expect(processSample({ processes: [old, ourselves], expected: 2, restarts: 3 }, 1, 5)).toMatchObject({ pid: process.pid, restarts: 2 });
  expect(processSample({ processes: [old, ourselves] }, undefined, 5)).toMatchObject({ pid: process.pid, processes: 2 });
  expect(processSample({ processes: [old], expected: 2 }, undefined, 5)).toMatchObject({ pid: 0 });
});
