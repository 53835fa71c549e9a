import { setImmediate } from 'node:timers';
import { EMPTY_PLAN } from '@toolquake/sdk/core';
import { expect, test } from 'vitest';
import { simulateRows, type RowsOptions } from './simulation-rows.js';

const manyShortRuns: RowsOptions = {
  subject: 'short runs',
  plan: EMPTY_PLAN,
  seed: 0,
  seeds: 100_000,
  random: 'keyed',
  tasks: 10,
  fanout: 8,
  defence: 'both',
  tell: () => {},
};

test('runs that are short stop together when they are told to, and tell how far they came', async () => {
  const controller = new AbortController();
  const shares: number[] = [];
  // Heard only when the runs let the event loop turn.
  setImmediate(() => controller.abort(new Error('enough')));
  const running = simulateRows({ ...manyShortRuns, signal: controller.signal, onProgress: (share) => shares.push(share) });
  await expect(running).rejects.toThrow('enough');
  expect(shares.at(-1)).toBeGreaterThan(0);
  expect(shares.at(-1)).toBeLessThan(0.5);
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
});

test('seeds that do not exist are refused', async () => {
  const running = simulateRows({ ...manyShortRuns, seed: Number.MAX_SAFE_INTEGER, seeds: 2 });
  await expect(running).rejects.toMatchObject({
    code: 'OUT_OF_RANGE',
    advice: expect.stringContaining('--seed 9007199254740990') as string,
  });
});
