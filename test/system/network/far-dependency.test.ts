/** A dependency on another machine: another network namespace, and a wire between the two. */
import { expect, onTestFinished, test } from 'vitest';
import type { Action } from '../../../packages/toolquake/src/actions/action.js';
import { blockDependency } from '../../../packages/toolquake/src/actions/kinds/block-dependency.js';
import { slowDependency } from '../../../packages/toolquake/src/actions/kinds/slow-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { findNamespace } from '../../../packages/toolquake/src/network/namespace.js';
import { actionWorld } from './action-world.js';
import { applyAll, makePlace, undoAll } from './place.js';

const FAR = ['10.77.0.2', 'fd77::2'] as const;

test.each(FAR)('%s is blocked and slowed where its server is, and untouched afterwards', async (host) => {
  const [near, far] = [await makePlace(), await makePlace('::')];
  onTestFinished(async () => {
    await near.remove();
    await far.remove();
  });
  await near.inside('ip', 'link', 'add', 'wire', 'type', 'veth', 'peer', 'name', 'wire', 'netns', far.name);
  for (const [place, last] of [
    [near, 1],
    [far, 2],
  ] as const) {
    await place.inside('ip', 'address', 'add', `10.77.0.${last}/24`, 'dev', 'wire');
    await place.inside('ip', 'address', 'add', `fd77::${last}/64`, 'dev', 'wire', 'nodad');
    await place.inside('ip', 'link', 'set', 'wire', 'up');
  }
  const before = [await near.rules(), await far.rules()];
  const look = (): ReturnType<typeof connectWithin> =>
    connectWithin(
      { namespace: findNamespace(near.name), uid: undefined },
      { address: host, port: far.port },
      { timeoutMs: 5000, isPoking: true },
    );

  const during = async (action: Action, special: object, see: () => Promise<void>): Promise<void> => {
    const prepared = await action.prepare({ host, port: far.port, namespace: near.name, ...special }, actionWorld());
    const undo = await applyAll(prepared);
    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
    await see();
    for (const { is } of await undoAll(undo)) expect(is).toMatch(/^(undone|gone)$/);
    await prepared.release();
    expect([await near.rules(), await far.rules()]).toEqual(before);
    expect((await look()).end).toBe('connected');
  };
  await during(blockDependency, { via: 'nft' }, async () => expect((await look()).end).toBe('refused'));
  await during(slowDependency, { via: 'redirect', delayMs: 400 }, async () => {
    expect((await look()).roundMs).toBeGreaterThan(390);
  });
});
