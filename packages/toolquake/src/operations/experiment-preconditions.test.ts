import { expect, test } from 'vitest';
import { actionWorld } from '../actions/fixtures/action-world.js';
import { call, exampleExperiment, probe } from '../experiments/fixtures/fake-world.js';
import { createSampleBook } from '../experiments/sample-book.js';
import { preconditionsOf } from './experiment-preconditions.js';
import type { PlannedRun } from './plan-run.js';

const load = { tool: 'serch', arguments: {}, clients: 1, perSecond: 10, timeoutMs: 1000, retries: 0, retryDelayMs: 100 };

test.each([
  ['ok', true, '1 callers, 10 calls of serch a second'],
  ['error', false, 'no call of serch ended well within 30 s; the last one: error'],
] as const)('a workload whose calls end as %s: %s', async (end, isMet, detail) => {
  let nowMs = 0;
  const samples = createSampleBook();
  samples.add(probe(0, true));
  samples.add(call(0, end));
  const world = actionWorld({ nowMs: () => (nowMs += 20_000) });
  const sources = { channel: async () => ({ isProven: true, detail: '' }), failure: () => undefined };
  // Of a plan, only these are looked at.
  const planned = { experiment: { ...exampleExperiment, load }, target: world.target, actions: [] } as unknown as PlannedRun;
  const found = await preconditionsOf({ planned, world, sources, samples });
  expect(found.find(({ name }) => name === 'a workload')).toEqual({ name: 'a workload', isMet, detail });
});
