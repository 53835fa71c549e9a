import { expect, test } from 'vitest';
import { longestFaultMs } from './during.js';
import { someExperiment } from './fixtures/some-experiment.js';

const [cut] = someExperiment.actions;

test('what ends by itself outlasts every step', () => {
  expect(longestFaultMs({ ...someExperiment, actions: [cut!, { ...cut!, id: 'again', forMs: 5000 }] })).toBeGreaterThanOrEqual(65_000);
});

test('a fault outlasts the time that a system has to heal itself under it: else its end would pass for healing', () => {
  const healing = { ...someExperiment, mustSelfHeal: true, recoverWithinMs: 300_000 };
  expect(longestFaultMs(healing)).toBeGreaterThanOrEqual(60_000 + 2 * 300_000 + 60_000);
});
