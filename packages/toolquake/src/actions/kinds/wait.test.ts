import { expect, test } from 'vitest';
import { wait } from './wait.js';

test('changes nothing, so there is nothing to undo', async () => {
  // It looks at nothing of its world.
  const prepared = await wait.prepare({}, undefined as never);
  expect(prepared.steps).toEqual([]);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
});
