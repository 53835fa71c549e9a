import { expect, test } from 'vitest';
import { ensureRunning } from './ensure-running.js';

const world = { env: {}, signal: AbortSignal.timeout(60_000) };

test('data that names no manager is never taken for undone', async () => {
  for (const manager of [undefined, null, { kind: 'pm2', name: '--all' }, { kind: 'pm2', name: 'all' }, { kind: 'x' }]) {
    const data = manager === undefined ? {} : { manager };
    await ensureRunning.undo(data, world);
    expect(await ensureRunning.verify(data, world)).toMatchObject({ is: 'not-undone' });
  }
});

test('a process that still runs needs nothing', async () => {
  const data = { manager: { kind: 'pid', pid: process.pid }, count: 1, graceMs: 0 };
  await ensureRunning.undo(data, world);
  expect(await ensureRunning.verify(data, world)).toMatchObject({ is: 'undone' });
});

test('what was only known by its command, and does not run any more, is not undone', async () => {
  const data = { manager: { kind: 'command', command: ['no-such-program-anywhere', 'x'] }, count: 1, graceMs: 0 };
  await expect(ensureRunning.undo(data, world)).rejects.toMatchObject({ code: 'IMPOSSIBLE' });
  expect(await ensureRunning.verify(data, world)).toMatchObject({ is: 'not-undone' });
});

test('the stdio server of a run is gone with it; a manager whose folder is gone, too', async () => {
  expect(await ensureRunning.verify({ manager: { kind: 'own' } }, world)).toMatchObject({ is: 'gone' });
  const data = { manager: { kind: 'pm2', name: 'demo' }, variables: { PM2_HOME: '/nowhere/at/all' }, count: 3 };
  await ensureRunning.undo(data, world);
  expect(await ensureRunning.verify(data, world)).toMatchObject({ is: 'gone' });
});
