/** A dependency is cut off in a real network namespace, and everything is as it was afterwards. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { blockDependency } from '../../../packages/toolquake/src/actions/kinds/block-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { findNamespace } from '../../../packages/toolquake/src/network/namespace.js';
import { actionWorld } from './action-world.js';
import { applyAll, makePlace, undoAll, type Place } from './place.js';

let place: Place;
beforeEach(async () => {
  place = await makePlace();
});
afterEach(() => place.remove());

const look = (timeoutMs = 1500): ReturnType<typeof connectWithin> =>
  connectWithin({ namespace: findNamespace(place.name), uid: undefined }, { address: '127.0.0.1', port: place.port }, { timeoutMs });

/** Rules that were there before, among them one that says the same as ours. */
async function addForeignRules(): Promise<void> {
  for (const iptables of ['iptables-nft', 'iptables-legacy']) {
    await place.inside(
      iptables,
      '-w',
      '-A',
      'OUTPUT',
      '-d',
      '10.9.8.7',
      '-p',
      'tcp',
      '--dport',
      '5432',
      '-j',
      'REJECT',
      '--reject-with',
      'tcp-reset',
    );
    await place.inside(iptables, '-w', '-N', 'THEIRS');
    await place.inside(iptables, '-w', '-A', 'OUTPUT', '-j', 'THEIRS');
    await place.inside(iptables, '-w', '-t', 'nat', '-A', 'OUTPUT', '-d', '10.9.8.7', '-p', 'tcp', '-j', 'REDIRECT', '--to-ports', '9');
  }
  await place.inside('nft', 'add', 'table', 'inet', 'theirs');
}

describe.each(['nft', 'iptables'])('by %s', (via) => {
  test.each([
    ['reset', 'refused'],
    ['unreachable', 'refused'],
    ['drop', 'timeout'],
  ])('how: %s is seen as "%s" from inside the namespace, and the rules of others stay byte for byte', async (how, end) => {
    await addForeignRules();
    const before = await place.rules();
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, how, via };
    const prepared = await blockDependency.prepare(params, actionWorld());
    expect(await place.rules(), 'preparing changes nothing').toBe(before);
    const undo = await applyAll(prepared);

    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
    expect((await look(500)).end).toBe(end);
    const [state] = await undoAll(undo);
    expect(state?.is, JSON.stringify(state)).toBe('undone');
    expect(await place.rules()).toBe(before);
    expect((await look()).end).toBe('connected');
    expect((await undoAll(undo))[0]?.is, 'twice is no error').toBe('undone');
    expect(await place.rules()).toBe(before);
  });
});
