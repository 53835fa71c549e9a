import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, expect, test } from 'vitest';
import { endProcessUndo } from '../end-process-undo.js';
import { findProcess, identify } from '../process-identity.js';
import { endProcess } from './end-process.js';

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
});
const world = { env: {}, signal: new AbortController().signal };
async function start(...argv: readonly [string, ...string[]]): Promise<ChildProcess> {
  const child = spawn(argv[0], argv.slice(1), { stdio: ['ignore', 'pipe', 'ignore'] });
  children.push(child);
  await once(child, 'spawn');
  return child;
}

test('ends a process, and sees that it is gone; again is no error', async () => {
  const child = await start('sleep', '100');
  const { data } = endProcessUndo(child.pid!);
  expect(await endProcess.verify(data, world)).toMatchObject({ is: 'not-undone', why: expect.stringContaining('still running') });
  await endProcess.undo(data, world);
  expect(await endProcess.verify(data, world)).toMatchObject({ is: 'gone' });
  await endProcess.undo(data, world);
});

test('kills a process that does not listen, also when it is stopped', async () => {
  const deaf = await start('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 0.05; done');
  await once(deaf.stdout!, 'data');
  deaf.kill('SIGSTOP');
  const { data } = endProcessUndo(deaf.pid!, 100);
  await endProcess.undo(data, world);
  expect(await endProcess.verify(data, world)).toMatchObject({ is: 'gone' });
});

test('never touches a later process with the same number, nor one of another boot or container', async () => {
  const child = await start('sleep', '100');
  const { data } = endProcessUndo(child.pid!);
  for (const other of [{ startTicks: Number(data['startTicks']) - 1 }, { bootId: 'another' }, { pidNamespace: 'pid:[1]' }]) {
    await endProcess.undo({ ...data, ...other }, world);
  }
  expect(() => process.kill(child.pid!, 0)).not.toThrow();
  expect(await endProcess.verify({ ...data, bootId: 'another' }, world)).toMatchObject({ is: 'gone' });
  expect(await endProcess.verify({ ...data, pidNamespace: 'pid:[1]' }, world)).toMatchObject({ is: 'not-undone' });
  expect(await endProcess.verify({ pid: child.pid }, world)).toMatchObject({ is: 'not-undone' });
});

test('a child that is dead before it could be written down is nothing to undo', async () => {
  const child = await start('true');
  await once(child, 'exit');
  expect(await endProcess.verify(endProcessUndo(child.pid!).data, world)).toMatchObject({ is: 'gone' });
});

test('ends what the process started, too, where that does not end with it', async () => {
  const deaf = 'trap "" TERM HUP; echo $$; while :; do sleep 0.05; done';
  const parent = await start('sh', '-c', `sh -c '${deaf}' & wait`);
  const [line] = (await once(parent.stdout!, 'data')) as [Buffer];
  const child = identify(Number(line.toString()))!;
  await endProcess.undo(endProcessUndo(parent.pid!, 100).data, world);
  expect(findProcess(child)).toBeUndefined();
});
