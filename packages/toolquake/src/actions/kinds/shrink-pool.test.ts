import { expect, test } from 'vitest';
import { closedPort } from '../../undo/fixtures/closed-port.js';
import { actionWorld } from '../fixtures/action-world.js';
import { shrinkPool } from './shrink-pool.js';

const given = { adminUrls: ['http://127.0.0.1:1'], tokenVariable: 'T', pool: 'orders' };

test.each<[object, RegExp]>([
  [{ ...given }, /either "percent" or "max"/],
  [{ ...given, percent: 30, max: 3 }, /either "percent" or "max"/],
  [{ ...given, percent: 30, replicas: 2 }, /cut 2 replicas, and names 1/],
  [{ ...given, adminUrls: [], percent: 30 }, /at least one replica/],
  [{ ...given, adminUrls: ['http://127.0.0.1:1', 'http://127.0.0.1:1/two'], percent: 30 }, /names http:\/\/127\.0\.0\.1:1 twice/],
])('%j cannot be done, and is refused before anything is asked', async (params, why) => {
  expect(await shrinkPool.feasibility(params as never, actionWorld())).toMatchObject({ isFeasible: false, why });
  await expect(shrinkPool.prepare(params as never, actionWorld())).rejects.toThrow(why);
});

test('without a token, or where nobody listens, it says so', async () => {
  expect(await shrinkPool.feasibility({ ...given, percent: 30 }, actionWorld())).toMatchObject({ isFeasible: false, why: /no token/ });
  const params = { ...given, adminUrls: [`http://127.0.0.1:${await closedPort()}`], percent: 30 };
  expect(await shrinkPool.feasibility(params, actionWorld({ env: { T: 's3cret' } }))).toMatchObject({
    isFeasible: false,
    why: /No proxy answers/,
  });
});

test('a lower stage takes away less', () => {
  expect(shrinkPool.scale({ ...given, percent: 90 }, 0.1)).toMatchObject({ percent: 90, share: 0.1 });
});
