import { expect, test } from 'vitest';
import { someExperiment } from '../experiments/fixtures/some-experiment.js';
import { actionsAt } from './experiment-actions.js';

const [cut] = someExperiment.actions;
const { ttlMs } = someExperiment.lease;
const lasting = (change: Partial<typeof someExperiment>): readonly number[] =>
  actionsAt({ ...someExperiment, ...change }, 100).map(({ lastsMs }) => lastsMs);

test('what ends by itself outlasts every step, and the lease', () => {
  for (const lastsMs of lasting({ actions: [cut!, { ...cut!, id: 'again', forMs: 5000 }] }))
    expect(lastsMs).toBeGreaterThanOrEqual(65_000 + ttlMs);
});

test('a fault outlasts the time that a system has to heal itself under it: else its end would pass for healing', () => {
  for (const lastsMs of lasting({ mustSelfHeal: true, recoverWithinMs: 300_000 }))
    expect(lastsMs).toBeGreaterThanOrEqual(60_000 + 2 * 300_000 + 60_000 + ttlMs);
});
