/** A dependency is slowed in a real network namespace, and everything is as it was afterwards. */
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { WorkerHandle } from '../../../packages/toolquake/src/actions/action.js';
import { slowDependency } from '../../../packages/toolquake/src/actions/kinds/slow-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { findNamespace } from '../../../packages/toolquake/src/network/namespace.js';
import { redirectSteps } from '../../../packages/toolquake/src/actions/slow-means.js';
import type { Firewall } from '../../../packages/toolquake/src/network/firewall.js';
import { tryNetem } from '../../../packages/toolquake/src/network/means.js';
import { actionWorld } from './action-world.js';
import { connectedClient } from './connected-client.js';
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
    // A delay is never less than it was asked to be; how much more it is depends on what else this host does.
    expect(slow).toBeGreaterThan(390);
    expect(before.round).toBeLessThan(390);
    const states = await undoAll(undo);
    expect(
      states.map(({ is }) => is),
      JSON.stringify(states),
    ).toEqual(['undone', 'gone']);
    await prepared.release();
    expect(await place.rules()).toBe(before.rules);
    expect((await look()).roundMs).toBeLessThan(slow);
  });

  test.each(['iptables-nft', 'iptables-legacy'] as const)(
    'by %s, too, and rules of others stay byte for byte (invariant 11)',
    async (iptables) => {
      for (const table of ['nat', 'filter'])
        await place.inside(iptables, '-w', '-t', table, '-A', 'OUTPUT', '-d', '10.9.8.7', '-j', 'ACCEPT');
      const before = await place.rules();
      const scope = { addresses: ['127.0.0.1'], port: place.port, namespace: findNamespace(place.name), uid: undefined, whom: 'the test' };
      const firewall = {
        kind: 'iptables',
        flavour: [iptables, `ip6tables-${iptables.slice(9) as 'nft' | 'legacy'}`],
      } as unknown as Firewall;
      const rules = { name: 'TQ-5f1c09aa-03be', namespace: scope.namespace, look: {} };
      const delay = { delayMs: 300, jitterMs: 0, isCutting: true };
      const { steps, release } = await redirectSteps('slow', firewall, rules, scope, delay, actionWorld());
      const undo = await applyAll({ hits: [], steps, release, verifyEffect: async () => ({ isInEffect: true, proof: '' }) });
      expect((await look()).roundMs).toBeGreaterThan(250);
      const states = await undoAll(undo);
      expect(
        states.map(({ is }) => is),
        JSON.stringify(states),
      ).toEqual(['undone', 'gone']);
      expect(await place.rules()).toBe(before);
    },
  );

  test('over IPv6, too', async () => {
    const six = await makePlace('::1');
    onTestFinished(() => six.remove());
    const prepared = await slowDependency.prepare(
      { host: '::1', port: six.port, namespace: six.name, delayMs: 300, via: 'redirect' },
      actionWorld(),
    );
    const undo = await applyAll(prepared);
    const proof = await prepared.verifyEffect();
    expect(proof).toMatchObject({ isInEffect: true });
    expect(proof.proof, 'it was measured').not.toContain('through the relay');
    expect((await undoAll(undo)).map(({ is }) => is)).toEqual(['undone', 'gone']);
  });

  test('a delay that is longer than anybody waits for the proof is still seen', async () => {
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: '20s', via: 'redirect' };
    const prepared = await slowDependency.prepare(params, actionWorld());
    const undo = await applyAll(prepared);
    const startedAt = performance.now();
    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true, proof: expect.stringContaining('no answer within') as string });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await undoAll(undo);
  });

  test('a relay that cannot reach the dependency itself has made nothing slow, and is not said to', async () => {
    await place.inside('nft', 'add', 'table', 'inet', 'theirs');
    await place.inside('nft', 'add', 'chain', 'inet', 'theirs', 'out', '{ type filter hook output priority 0; }');
    await place.inside('nft', 'add', 'rule', 'inet', 'theirs', 'out', 'tcp', 'sport', '61000-64999', 'reject', 'with', 'tcp', 'reset');
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 100, via: 'redirect' };
    const prepared = await slowDependency.prepare(params, actionWorld());
    const undo = await applyAll(prepared);
    // The relay tells now and then how many connections it took: the second look knows of the first.
    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: false });
    expect((await look()).end).toBe('reset');
    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: false });
    expect((await undoAll(undo)).map(({ is }) => is)).toEqual(['undone', 'gone']);
  });

  test('a relay that is killed inside ends its worker as broken: the fault is gone, and must not pass for borne', async () => {
    const before = await place.pids();
    const world = actionWorld();
    let ended: WorkerHandle['ended'] | undefined;
    const startWorker: typeof world.startWorker = async (role, config) => {
      const worker = await world.startWorker(role, config);
      ended = worker.ended;
      return worker;
    };
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 300, via: 'redirect' };
    const undo = await applyAll(await slowDependency.prepare(params, { ...world, startWorker }));
    for (const pid of (await place.pids()).filter((one) => !before.includes(one))) process.kill(Number(pid), 'SIGKILL');
    expect(await ended).toEqual({ code: 1, signal: null });
    expect((await undoAll(undo)).map(({ is }) => is)).toEqual(['undone', 'gone']);
  });

  test('scales with the stage', async () => {
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 1600, via: 'redirect' };
    const rounds: number[] = [];
    for (const share of [0.25, 1]) {
      const undo = await applyAll(await slowDependency.prepare(slowDependency.scale(params, share), actionWorld()));
      rounds.push((await look()).roundMs ?? 0);
      await undoAll(undo);
    }
    expect(rounds[0]).toBeGreaterThan(390);
    expect(rounds[0]).toBeLessThan(1590);
    expect(rounds[1]).toBeGreaterThan(1590);
  });

  test.each([
    ['reset', 'ECONNRESET'],
    ['keep', 'answer x'],
  ])('existing: %s: a connection that is open already sees "%s"', async (existing, seen) => {
    const client = await connectedClient(place);
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 300, via: 'redirect', existing };
    const undo = await applyAll(await slowDependency.prepare(params, actionWorld()));
    client.send();
    expect(await client.next()).toBe(seen);
    expect((await look()).roundMs, 'new ones are slow').toBeGreaterThan(250);
    await undoAll(undo);
  });

  test('one that was prepared and never done leaves no process', async () => {
    const before = await place.pids();
    const prepared = await slowDependency.prepare(
      { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 300, via: 'redirect' },
      actionWorld(),
    );
    await prepared.release();
    expect(await undoAll([prepared.steps[0]!.undo!])).toMatchObject([{ is: 'gone' }]);
    expect(await place.pids()).toEqual(before);
  });
});

test('by netem it is refused where the kernel has none, and says so', async () => {
  const { works } = await tryNetem();
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name, delayMs: 300, via: 'netem' };
  if (works) {
    const prepared = await slowDependency.prepare(params, actionWorld());
    const undo = await applyAll(prepared);
    expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
    expect(await undoAll(undo)).toMatchObject([{ is: 'undone' }]);
  } else await expect(slowDependency.prepare(params, actionWorld())).rejects.toThrow('netem');
});
