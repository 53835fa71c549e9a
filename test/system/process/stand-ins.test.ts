/** systemd and Docker, which no test machine of ours runs: programs in their place that take their words and print in their formats. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openManager } from '../../../packages/toolquake/src/managers/open-manager.js';
import type { ProcessManager } from '../../../packages/toolquake/src/managers/process-manager.js';
import { undo } from './servers.js';

let folder = '';
let child: ChildProcess;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'toolquake-stand-in-'));
  child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
});
afterEach(() => {
  child.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

/** Puts a program on the PATH that writes down its words and then runs `body`. */
function standIn(name: string, body: string): Readonly<Record<string, string>> {
  const calls = join(folder, 'calls');
  const text = `#!${process.execPath}\nconst words = process.argv.slice(2);\nrequire('node:fs').appendFileSync(${JSON.stringify(calls)}, JSON.stringify(words) + '\\n');\n${body}\n`;
  writeFileSync(join(folder, name), text);
  chmodSync(join(folder, name), 0o755);
  return { PATH: [folder, process.env['PATH'] ?? ''].join(delimiter) };
}
const calls = (): readonly string[][] =>
  existsSync(join(folder, 'calls'))
    ? readFileSync(join(folder, 'calls'), 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as string[])
    : [];
const open = (kind: 'systemd' | 'docker', name: string, env: Readonly<Record<string, string>>): Promise<ProcessManager> =>
  openManager({ kind, name }, { env: { ...process.env, ...env }, signal: AbortSignal.timeout(30_000) });

const systemctl = (pid: number, lines = 'Restart=always\nNRestarts=2\nLoadState=loaded\nActiveState=active'): string =>
  `if (words[0] === 'show') console.log('MainPID=${pid}\\n' + ${JSON.stringify(lines)});`;

test('a service is looked at, judged and restarted through systemctl', async () => {
  const shop = await open('systemd', 'shop', standIn('systemctl', systemctl(child.pid!)));
  expect(await shop.look()).toMatchObject({ processes: [{ identity: { pid: child.pid } }], expected: 1, restarts: 2 });
  expect(await shop.restartPolicy('TERM')).toEqual({ restarts: true, why: 'Restart=always' });
  await shop.restart();
  expect(calls()[0]).toEqual(['show', '--property=LoadState,ActiveState,MainPID,Restart,NRestarts', '--', 'shop.service']);
  expect(calls().at(-1)).toEqual(['restart', '--no-ask-password', '--', 'shop.service']);
});

test('a service that stays down is started by the undo, and one that is gone is left alone', async () => {
  const flag = JSON.stringify(join(folder, 'started'));
  const body = `const fs = require('node:fs'); const up = fs.existsSync(${flag});
    if (words[0] === 'start') fs.writeFileSync(${flag}, '');
    if (words[0] === 'show') console.log('Restart=no\\nNRestarts=0\\nLoadState=loaded\\nActiveState=' + (up ? 'active' : 'failed') + '\\nMainPID=' + (up ? ${child.pid!} : 0));`;
  const step = { kind: 'ensure-running', data: { manager: { kind: 'systemd', name: 'shop' }, count: 1, graceMs: 0 } };
  expect(await undo(step, standIn('systemctl', body))).toMatchObject({ is: 'undone' });
  const gone = standIn('systemctl', systemctl(0, 'Restart=no\nNRestarts=0\nLoadState=not-found\nActiveState=inactive'));
  expect(await undo(step, gone)).toMatchObject({ is: 'gone' });
});

test('a container is looked at, judged and started through docker', async () => {
  const started = JSON.stringify(new Date().toISOString());
  const body = `if (words[0] === 'inspect') console.log('["${'ab'.repeat(32)}",${child.pid!},"running",' + ${JSON.stringify(started)} + ',{"Name":"on-failure","MaximumRetryCount":3},1]');`;
  const shop = await open('docker', 'shop', standIn('docker', body));
  expect(await shop.look()).toMatchObject({ processes: [{ identity: { pid: child.pid } }], restarts: 1 });
  expect((await shop.restartPolicy('TERM')).restarts).toBe(false);
  expect((await shop.restartPolicy('KILL')).restarts).toBe(true);
  await shop.start();
  expect(calls().at(-1)).toEqual(['start', '--', 'shop']);
});

test('a pid that the daemon of another host has counted is no process of ours', async () => {
  const body = `console.log('["${'ab'.repeat(32)}",${process.ppid},"running","2020-01-01T00:00:00.0Z",{"Name":"always"},1]');`;
  await expect((await open('docker', 'shop', standIn('docker', body))).look()).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

test('a container that was removed is gone; a daemon that does not answer is an error', async () => {
  const gone = standIn('docker', `console.error('Error response from daemon: No such container: shop'); process.exit(1);`);
  expect(await (await open('docker', 'shop', gone)).look()).toEqual({ processes: [], expected: 0 });
  const down = standIn('docker', `console.error('Cannot connect to the Docker daemon'); process.exit(1);`);
  await expect((await open('docker', 'shop', down)).look()).rejects.toMatchObject({ code: 'UPSTREAM_UNREACHABLE' });
});

test('a name that is an option, or more than a name, reaches no program (invariant 24)', async () => {
  const env = { ...standIn('systemctl', ''), ...standIn('docker', '') };
  for (const kind of ['systemd', 'docker'] as const) {
    for (const name of ['-H=evil', '--host', 'a;b', 'a\nb', 'a b', '$(x)', '../a']) {
      await expect(open(kind, name, env), name).rejects.toMatchObject({ code: 'BAD_ARGUMENT' });
    }
  }
  expect(calls()).toEqual([]);
});

test('a program that is not there is named, and what programs print is not passed on', async () => {
  await expect((await open('systemd', 'shop', { PATH: folder })).look()).rejects.toMatchObject({ code: 'COMMAND_NOT_FOUND' });
  const env = standIn('docker', `console.log('TOKEN=secret'); console.error('secret'); process.exit(3);`);
  const error: unknown = await (await open('docker', 'shop', env)).look().catch((failure: unknown) => failure);
  expect(String(error)).not.toContain('secret');
});
