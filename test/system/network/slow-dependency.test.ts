/** A dependency is slowed in a real network namespace, and everything is as it was afterwards. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { slowDependency } from '../../../packages/toolquake/src/actions/kinds/slow-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { findNamespace } from '../../../packages/toolquake/src/network/namespace.js';
import { actionWorld } from './action-world.js';
import { applyAll, makePlace, undoAll, type Place } from './place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const look = (): ReturnType<typeof connectWithin> =>
  connectWithin(
    { namespace: findNamespace(place.name), uid: undefined },
    { address: '127.0.0.1', port: place.port },
    { timeoutMs: 10_000, isPoking: true },
  );

describe('by redirect', () => {
  test('a round trip takes at least the delay longer while it lasts, and no longer than before afterwards', async () => {
    const before = { rules: await place.rules(), round: (await look()).roundMs ?? 0 };
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 400, via: 'redirect' };
    const prepared = await slowDependency.prepare(params, actionWorld());
    expect(await place.rules(), 'preparing changes nothing').toBe(before.rules);
    const undo = await applyAll(prepared);

    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
    const slow = (await look()).roundMs ?? 0;
    expect(slow).toBeGreaterThan(before.round + 350);
    const states = await undoAll(undo);
    expect(
      states.map(({ is }) => is),
      JSON.stringify(states),
    ).toEqual(['undone', 'gone']);
    await prepared.release();
    expect(await place.rules()).toBe(before.rules);
    expect((await look()).roundMs).toBeLessThan(slow);
  });
});
