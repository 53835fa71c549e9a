/** A dependency is cut off in a real network namespace, and everything is as it was afterwards. */
import { spawn } from 'node:child_process';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { CONSENT } from '../../../packages/toolquake/src/actions/dependency-params.js';
import { blockDependency } from '../../../packages/toolquake/src/actions/kinds/block-dependency.js';
import { connectWithin } from '../../../packages/toolquake/src/network/connect-within.js';
import { findNamespace, namespaceData } from '../../../packages/toolquake/src/network/namespace.js';
import { commandPath } from '../../../packages/toolquake/src/network/trusted-command.js';
import { nftTable } from '../../../packages/toolquake/src/undo/steps/index.js';
import { actionWorld } from './action-world.js';
import { connectedClient } from './connected-client.js';
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

describe('connections that are open already', () => {
  test('are reset when they are next used, by reset', async () => {
    const client = await connectedClient(place);
    client.send();
    expect(await client.next()).toBe('answer x');
    const undo = await applyAll(
      await blockDependency.prepare({ host: '127.0.0.1', port: place.port, namespace: place.name }, actionWorld()),
    );
    client.send();
    expect(await client.next()).toBe('ECONNRESET');
    await undoAll(undo);
  });

  test.each([
    ['drop', 'timeout'],
    ['unreachable', 'refused'],
  ])('stall by %s, and go on where they stopped when it is undone', async (how, end) => {
    const client = await connectedClient(place);
    const params = { host: '127.0.0.1', port: place.port, namespace: place.name, how };
    const undo = await applyAll(await blockDependency.prepare(params, actionWorld()));
    client.send();
    expect((await look(500)).end).toBe(end);
    await undoAll(undo);
    expect(await client.next(), 'TCP sent it again').toBe('answer x');
  });
});

test.each(['nft', 'iptables'])('blocks IPv6 by %s', async (via) => {
  const six = await makePlace('::1');
  onTestFinished(() => six.remove());
  const prepared = await blockDependency.prepare({ host: '::1', port: six.port, namespace: six.name, via }, actionWorld());
  const undo = await applyAll(prepared);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  expect(await undoAll(undo)).toMatchObject([{ is: 'undone', proof: expect.stringContaining('connected') as string }]);
});

test('hits one user, and nobody else in the same namespace', async () => {
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name, user: 'nobody' };
  const prepared = await blockDependency.prepare(params, actionWorld());
  const undo = await applyAll(prepared);
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  expect((await look()).end, 'root').toBe('connected');
  expect((await undoAll(undo))[0]?.is).toBe('undone');
});

test('undoes a chain that was begun and not finished, and one that somebody else took away', async () => {
  const before = await place.rules();
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name, via: 'iptables' };
  const [step] = (await blockDependency.prepare(params, actionWorld())).steps;
  const name = String(step?.undo?.data['name']);
  await place.inside('iptables', '-w', '-N', name);
  expect(await undoAll([step!.undo!])).toMatchObject([{ is: 'undone' }]);
  await step!.apply();
  await place.inside('iptables', '-w', '-D', 'OUTPUT', '-j', name);
  expect(await undoAll([step!.undo!])).toMatchObject([{ is: 'undone' }]);
  const tables = await place.rules();
  // iptables leaves the empty tables and chains of the kernel behind; of ours there is nothing.
  expect(tables).not.toContain('TQ-');
  expect(before).not.toContain('TQ-');
});

test('a namespace that is deleted took everything along', async () => {
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name };
  const undo = await applyAll(await blockDependency.prepare(params, actionWorld()));
  await place.remove();
  expect(await undoAll(undo)).toMatchObject([{ is: 'gone' }]);
});

test('a namespace that this user may not look for is not taken for gone', async () => {
  const holder = spawn(commandPath('unshare')!, ['--net', process.execPath, '-e', 'setInterval(() => {}, 1e6); console.log()'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => holder.once('exit', resolve));
  onTestFinished(async () => {
    holder.kill('SIGKILL');
    await ended;
  });
  await new Promise((resolve) => holder.stdout.once('data', resolve));
  const namespace = namespaceData(findNamespace(String(holder.pid)));
  const step = { kind: 'nft-table', data: { name: 'TQ-5f1c09aa-03be', namespace } };
  process.seteuid?.('nobody');
  try {
    await expect(undoAll([step])).rejects.toThrow('cannot be told');
    expect(await nftTable.verify(step.data, { env: {}, signal: AbortSignal.timeout(5000) })).toMatchObject({ is: 'not-undone' });
  } finally {
    process.seteuid?.(0);
  }
  expect(await undoAll([step])).toMatchObject([{ is: 'undone' }]);
});

test('rules that a run made in its own namespace are found there by whoever undoes them from another one', async () => {
  const params = { host: '127.0.0.1', port: place.port, namespace: place.name };
  const before = await place.rules();
  const [step] = await applyAll(await blockDependency.prepare(params, actionWorld()));
  // As a run inside writes it down: by the path that leads each process to its own.
  const inside = { ...findNamespace(place.name), path: '/proc/self/ns/net' };
  expect(namespaceData(undefined)).toMatchObject({ path: inside.path });
  const undo = [{ ...step!, data: { ...step!.data, namespace: inside } }];
  expect(await undoAll(undo)).toMatchObject([{ is: 'undone' }]);
  expect(await place.rules()).toBe(before);
});

test('a server that was restarted is in the same namespace, under another pid', async () => {
  const first = spawn('ip', ['netns', 'exec', place.name, process.execPath, '-e', 'setInterval(() => {}, 1e6); console.log()'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await new Promise((resolve) => first.stdout.once('data', resolve));
  const before = await place.rules();
  const params = { host: '127.0.0.1', port: place.port, namespace: first.pid };
  const prepared = await blockDependency.prepare(params, actionWorld());
  const undo = await applyAll(prepared);
  const ended = new Promise((resolve) => first.once('exit', resolve));
  first.kill('SIGKILL');
  await ended;
  expect(await prepared.verifyEffect()).toMatchObject({ isInEffect: true });
  expect(await undoAll(undo)).toMatchObject([{ is: 'undone' }]);
  expect(await place.rules()).toBe(before);
});

describe('never hits the run itself (invariant 26)', () => {
  const local = { host: '127.0.0.1', port: 5432 };

  test.each([
    ['its own namespace', { ...local, namespace: process.pid }, 'NOT_ALLOWED'],
    ['its own user', { ...local, user: String(process.getuid?.()) }, 'NOT_ALLOWED'],
    ['the way to its target', { host: 'localhost', port: 3001, scope: 'host', consent: CONSENT }, 'NOT_ALLOWED'],
    ['a relay before its target', { host: 'localhost', port: 3001, via: 'relay', admin: 'http://127.0.0.1:1' }, 'NOT_ALLOWED'],
  ])('refuses %s', async (_, params, code) => {
    await expect(blockDependency.prepare(params, actionWorld({ url: 'http://127.0.0.1:3001/mcp' }))).rejects.toMatchObject({ code });
  });
});

test('refuses what does not answer anyway: nothing could be shown', async () => {
  const params = { host: '127.0.0.1', port: 1, namespace: place.name };
  await expect(blockDependency.prepare(params, actionWorld())).rejects.toThrow('does not answer');
});
