/** Real processes are stopped and let go on: by us, by another process from plain data, and never a stranger. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@toolquake/sdk/core';
import { afterAll, afterEach, expect, test } from 'vitest';
import type { WorkerHandle } from '../../../packages/toolquake/src/actions/action.js';
import { freezeProcess } from '../../../packages/toolquake/src/actions/kinds/freeze-process.js';
import { killProcess } from '../../../packages/toolquake/src/actions/kinds/kill-process.js';
import { openOwn } from '../../../packages/toolquake/src/managers/own.js';
import { descendantsOf, processesByCommand } from '../../../packages/toolquake/src/managers/process-table.js';
import { identify } from '../../../packages/toolquake/src/undo/process-identity.js';
import { hostMs } from '../../../packages/toolquake/src/workers/host-clock.js';
import { startWorker } from '../../../packages/toolquake/src/workers/start-worker.js';
import { perform, scripts, startStranger, stateOf, undo, until, worldOf } from './servers.js';

const PROGRAM = fileURLToPath(new URL('../../../packages/toolquake/dist/experiment-worker.js', import.meta.url));
const files = scripts();
const started: number[] = [];
const stranger = async (script: string): Promise<number> => {
  const pid = await startStranger(files.path(script));
  started.push(pid);
  return pid;
};
const isThere = (pid: number): boolean => identify(pid) !== undefined;

afterEach(() => {
  for (const pid of started.splice(0)) {
    for (const one of [...descendantsOf(pid), pid]) if (isThere(one)) process.kill(one, 'SIGKILL');
  }
});
afterAll(() => files.remove());

test('a frozen process goes on after the undo, and undoing twice harms nobody (invariant 8)', async () => {
  const pid = await stranger('steady.cjs');
  const { prepared, undos } = await perform(freezeProcess, { pid }, worldOf(undefined));
  await until(async () => (await prepared.verifyEffect()).isInEffect);
  expect(stateOf(pid)).toBe('T');
  expect(await undo(undos[0]!)).toMatchObject({ is: 'undone' });
  expect(stateOf(pid)).not.toBe('T');
  expect(await undo(undos[0]!)).toMatchObject({ is: 'undone' });
});

test('children are frozen and let go on with their parent', async () => {
  const pid = await stranger('parent.cjs');
  await until(() => descendantsOf(pid).length === 1);
  const [child = 0] = descendantsOf(pid);
  const { undos } = await perform(freezeProcess, { pid, withChildren: true }, worldOf(undefined));
  await until(() => stateOf(pid) === 'T' && stateOf(child) === 'T');
  expect(await undo(undos[0]!)).toMatchObject({ is: 'undone' });
  expect([stateOf(pid), stateOf(child)]).not.toContain('T');
});

test('children go on even when their frozen parent was killed', async () => {
  const pid = await stranger('parent.cjs');
  await until(() => descendantsOf(pid).length === 1);
  const [child = 0] = descendantsOf(pid);
  started.push(child);
  const { undos } = await perform(freezeProcess, { pid, withChildren: true }, worldOf(undefined));
  await until(() => stateOf(child) === 'T');
  process.kill(pid, 'SIGKILL');
  await until(() => !isThere(pid));
  expect(await undo(undos[0]!)).toMatchObject({ is: 'undone' });
  expect(stateOf(child)).not.toBe('T');
});

test('when the one who froze it is killed, another process lets it go on from data alone', async () => {
  const pid = await stranger('steady.cjs');
  const freezer = spawn(process.execPath, ['-e', `process.kill(${pid}, 'SIGSTOP'); setInterval(() => {}, 1000)`], { stdio: 'ignore' });
  const data = { kind: 'thaw-process', data: { processes: [{ ...identify(pid)! }] } };
  await until(() => stateOf(pid) === 'T');
  freezer.kill('SIGKILL');
  await once(freezer, 'exit');
  expect(stateOf(pid)).toBe('T');
  expect(await undo(data)).toMatchObject({ is: 'undone' });
  expect(stateOf(pid)).not.toBe('T');
});

test('a process that got the pid of a frozen one is never signalled', async () => {
  const pid = await stranger('steady.cjs');
  const identity = identify(pid)!;
  process.kill(pid, 'SIGSTOP');
  await until(() => stateOf(pid) === 'T');
  for (const other of [{ startTicks: identity.startTicks - 1 }, { bootId: '00000000-0000-0000-0000-000000000000' }]) {
    const step = { kind: 'thaw-process', data: { processes: [{ ...identity, ...other }] } };
    expect(await undo(step)).toMatchObject({ is: 'gone' });
    expect(stateOf(pid)).toBe('T');
  }
});

test('a process that somebody else has stopped is not frozen: the undo would let it go on', async () => {
  const pid = await stranger('steady.cjs');
  process.kill(pid, 'SIGSTOP');
  await until(() => stateOf(pid) === 'T');
  expect(await freezeProcess.feasibility({ pid }, worldOf(undefined))).toMatchObject({ isFeasible: false });
  await expect(freezeProcess.prepare({ pid }, worldOf(undefined))).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
});

test('neither we, nor what we live in, nor what we started, nor the first process is ever touched (invariant 26)', async () => {
  const child = spawn(process.execPath, [files.path('steady.cjs')], { stdio: 'ignore' });
  await once(child, 'spawn');
  const warden = await startStranger(files.path('steady.cjs'), 'experiment-worker.js');
  started.push(warden);
  try {
    for (const pid of [1, process.pid, process.ppid, child.pid!, warden]) {
      for (const action of [freezeProcess, killProcess]) {
        expect(await action.feasibility({ pid }, worldOf(undefined)), String(pid)).toMatchObject({ isFeasible: false });
        await expect(action.prepare({ pid }, worldOf(undefined)), String(pid)).rejects.toMatchObject({ code: 'NOT_ALLOWED' });
      }
    }
  } finally {
    child.kill('SIGKILL');
  }
});

test('a stdio server of the run is killed though the run started it, and nobody else is', async () => {
  const command = [process.execPath, files.path('steady.cjs'), 'own'];
  const [server, other] = [command, [...command, 'other']].map(([file = '', ...words]) => spawn(file, words, { stdio: 'ignore' }));
  await Promise.all([once(server!, 'spawn'), once(other!, 'spawn')]);
  try {
    const world = worldOf({ kind: 'own' });
    const upstream = { ...world.upstream, target: { kind: 'command', name: 'shop', command } } as typeof world.upstream;
    expect(await killProcess.feasibility({}, { ...world, upstream })).toMatchObject({ isFeasible: true });
    const { prepared, undos } = await perform(killProcess, {}, { ...world, upstream });
    await until(async () => (await prepared.verifyEffect()).isInEffect);
    expect(undos).toEqual([]);
    expect([isThere(server!.pid!), isThere(other!.pid!)]).toEqual([false, true]);
  } finally {
    for (const child of [server, other]) child?.kill('SIGKILL');
  }
});

test('a stdio server that does not run at this moment is not frozen: an undo that names nobody would be open for ever', async () => {
  const world = worldOf({ kind: 'own' });
  const target = { kind: 'command', name: 'shop', command: [process.execPath, files.path('nobody.cjs')] };
  const prepared = freezeProcess.prepare({}, { ...world, upstream: { ...world.upstream, target } as typeof world.upstream });
  await expect(prepared).rejects.toMatchObject({ code: 'IMPOSSIBLE', message: expect.stringContaining('no process runs') as string });
});

/** A monitor that waits, and then probes a command for a minute. */
function monitorOf(command: readonly string[]): Promise<WorkerHandle> {
  const target = { name: 'shop', kind: 'command', command, budgets: { totalMs: 60_000, helloMs: 60_000 } };
  return startWorker(
    'monitor',
    {
      runId: 'run-1',
      startedAtHostMs: hostMs(),
      target: { target, plan: { tools: [], canaries: [], slowMs: {} }, manifest: undefined, labels: {} } as unknown as JsonObject,
      everyMs: 60_000,
      failures: 2,
      slowFactor: 2,
      slowOver: 10,
      quietMs: 60_000,
      webhooks: [],
    },
    { env: process.env, program: PROGRAM },
  );
}

test('a server that a probe has started behind a script ends with the monitor', async () => {
  // It says nothing, so the probe is still under way when the run lets go.
  const silent = [process.execPath, '-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)", `probed-${process.pid}`];
  const monitor = await monitorOf(['sh', '-c', '"$@"; true', 'sh', ...silent]);
  monitor.go();
  await until(async () => processesByCommand(silent).length === 1);
  await monitor.stop();
  expect(processesByCommand(silent)).toEqual([]);
});

test('the server of a probe belongs to the monitor, and is no server of the run (invariant 26)', async () => {
  const command = [process.execPath, files.path('steady.cjs'), 'probed'];
  const monitor = await monitorOf(command);
  const own = openOwn({ env: process.env, signal: AbortSignal.timeout(60_000), ownCommand: command });
  try {
    monitor.go();
    await until(async () => processesByCommand(command).length === 1);
    expect((await own.look()).processes).toEqual([]);
    const caller = spawn(process.execPath, command.slice(1), { stdio: 'ignore' });
    await once(caller, 'spawn');
    expect((await own.look()).processes.map(({ identity }) => identity.pid)).toEqual([caller.pid]);
    caller.kill('SIGKILL');
  } finally {
    await monitor.stop();
  }
});

test('processes are found by their command line, word by word', async () => {
  const pid = await stranger('steady.cjs');
  const command = ['node', files.path('steady.cjs')];
  const prepared = await freezeProcess.prepare({ command }, worldOf(undefined));
  expect(prepared.hits).toEqual([expect.stringContaining(`process ${pid} `)]);
  expect(await freezeProcess.feasibility({ command: [...command, 'x'] }, worldOf(undefined))).toMatchObject({ isFeasible: false });
});

test('a process that ended meanwhile is gone for the undo (invariant 10)', async () => {
  const pid = await stranger('steady.cjs');
  const { undos } = await perform(freezeProcess, { pid }, worldOf(undefined));
  process.kill(pid, 'SIGKILL');
  await until(() => !isThere(pid));
  expect(await undo(undos[0]!)).toMatchObject({ is: 'gone' });
});
