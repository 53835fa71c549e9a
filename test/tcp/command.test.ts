/** `toolquake proxy tcp` as users start it. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { JournalEntry } from '@toolquake/sdk/core';
import { expect, onTestFinished, test } from 'vitest';
import { binPath, createDesk } from '../cli/harness.js';
import { start } from '../stdio/harness.js';
import { deadPort, dial, echo, HELLO, listen, talk } from './harness.js';

const PLAN =
  'version: 1\nseed: 7\nrules:\n  - { id: cut, fault: connection-drop, at: { nth: 2 } }\n  - { id: late, fault: latency, at: { nth: 99 } }\n';
const DEVELOPMENT = { NODE_ENV: 'development', ENVIRONMENT: 'development' };

/** A proxy that listens, and what it says. */
async function running(args: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const proxy = start([process.execPath, binPath, 'proxy', 'tcp', '--port', '0', '--json', ...args], { ...DEVELOPMENT, ...env });
  onTestFinished(async () => {
    proxy.child.kill('SIGKILL');
    await proxy.exited;
  });
  let said = '';
  proxy.child.stderr!.on('data', (bytes: Buffer) => (said += bytes.toString()));
  const [line] = (await once(proxy.child.stdout!, 'data')) as [Buffer];
  return { ...proxy, said: () => said, listening: JSON.parse(line.toString()) as { port: number; address: string } };
}

const entriesOf = (text: string): JournalEntry[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalEntry);

test.each(['SIGINT', 'SIGTERM'] as const)(
  '%s ends it with exit 130, its journal complete and a summary; nothing stays open',
  async (signal) => {
    const desk = createDesk({ 'plan.yaml': PLAN });
    const journal = join(desk.folder, 'run.jsonl');
    const upstream = `127.0.0.1:${await echo()}`;
    const proxy = await running(['--upstream', upstream, '--plan', join(desk.folder, 'plan.yaml'), '--journal', journal, '--seed', '9']);
    const { port, address } = proxy.listening;
    expect(proxy.listening).toEqual({ kind: 'listening', address: `127.0.0.1:${port}`, upstream, port });
    expect(await talk(port, [HELLO])).toEqual(HELLO);
    await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
    const open = dial(port);
    const { text, broken } = listen(open);
    open.write(HELLO);
    await expect.poll(text).toBe('hello');
    proxy.child.kill(signal);
    expect((await proxy.exited).code).toBe(130);
    await expect.poll(broken).toBe('ECONNRESET');
    expect(proxy.said()).toContain(`listening on ${address}, in front of ${upstream}`);
    expect(proxy.said()).toContain('1 of 2 rules fired (seed 9)');
    const entries = entriesOf(readFileSync(journal, 'utf8'));
    expect(entries[0]).toMatchObject({ kind: 'start', transport: 'tcp', seed: 9 });
    expect(entries.filter(({ kind }) => kind === 'fault')).toMatchObject([
      { rule: 'cut', state: 'delivered', exchange: 2, method: 'stream' },
    ]);
    expect(entries.at(-1)).toMatchObject({ kind: 'end', fired: { cut: 1, late: 0 } });
  },
);

test('a journal of its own in a shared folder, under the name of the target', async () => {
  const desk = createDesk({ 'plan.yaml': PLAN.replace('at: { nth: 2 }', 'when: { target: cache }') });
  const folder = join(desk.folder, 'runs');
  const args = [
    '--upstream',
    `127.0.0.1:${await echo()}`,
    '--plan',
    join(desk.folder, 'plan.yaml'),
    '--run-dir',
    folder,
    '--target',
    'cache',
  ];
  const proxy = await running(args);
  await expect(talk(proxy.listening.port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  proxy.child.kill('SIGTERM');
  await proxy.exited;
  const report = await desk.run(['report', folder, '--json']);
  expect(report.stdout).toContain('"cut"');
});

test('an upstream that is not there yet is a warning, told once, and no end', async () => {
  const upstream = `127.0.0.1:${await deadPort()}`;
  const proxy = await running(['--upstream', upstream]);
  for (let time = 0; time < 2; time++) await expect(talk(proxy.listening.port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect.poll(proxy.said).toContain(`${upstream} cannot be reached`);
  proxy.child.kill('SIGTERM');
  expect((await proxy.exited).code).toBe(130);
  expect(proxy.said().split('cannot be reached').length).toBe(2);
});

test('runs transparent in production, and says so', async () => {
  const desk = createDesk({ 'plan.yaml': PLAN.replace('at: { nth: 2 }', 'at: { nth: 1 }') });
  const args = ['--upstream', `127.0.0.1:${await echo()}`, '--plan', join(desk.folder, 'plan.yaml')];
  const proxy = await running(args, { NODE_ENV: 'production' });
  expect(await talk(proxy.listening.port, [HELLO])).toEqual(HELLO);
  expect(proxy.said()).toContain('nothing is injected');
});

test('a port in use is exit 3, with advice, and leaves no journal', async () => {
  const other = createServer();
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const { port } = other.address() as AddressInfo;
  const desk = createDesk();
  const run = await desk.run(['proxy', 'tcp', '--upstream', '127.0.0.1:1', '--port', String(port), '--journal', 'run.jsonl']);
  expect(run).toMatchObject({ code: 3, stdout: '' });
  expect(run.stderr).toContain(`Port ${port} on 127.0.0.1 is in use.`);
  expect(desk.files()).toEqual([]);
});

test.each([
  [[], '--upstream'],
  [['--upstream', 'localhost'], '"localhost" is no HOST:PORT'],
  [['--upstream', 'redis://user:pa55word@localhost:6379'], 'no HOST:PORT'],
  [['--upstream', '[::1]:0'], 'no HOST:PORT'],
  [['--upstream', 'localhost:6379', '--plan', 'plan.yaml'], 'tool-error cannot act on tcp'],
  [['--upstream', 'localhost:6379', '--plan', 'words.yaml'], 'tcp carries bytes, which have no tool'],
  [['--upstream', 'localhost:6379', '--plan', 'both.yaml'], 'after a time or after some bytes'],
  [['--upstream', 'localhost:6379', '--plan', 'missing.yaml'], 'missing.yaml'],
  [['--upstream', 'localhost:6379', '--admin-port', '0'], 'TOOLQUAKE_ADMIN_TOKEN'],
])('%j is exit 2 before anything starts, and says why', async (args, why) => {
  const desk = createDesk({
    'plan.yaml': 'rules:\n  - { id: a, fault: tool-error }\n',
    'words.yaml': 'rules:\n  - { id: a, fault: latency, when: { tool: pay } }\n',
    'both.yaml': 'rules:\n  - { id: a, fault: connection-drop, params: { afterMs: 5, afterBytes: 5 } }\n',
  });
  const run = await desk.run(['proxy', 'tcp', '--port', '0', ...args], { TOOLQUAKE_ADMIN_TOKEN: '', CHAOS_ADMIN_TOKEN: '' });
  expect(run).toMatchObject({ code: 2, stdout: '' });
  expect(run.stderr).toContain(why);
  expect(run.stderr).not.toContain('pa55word');
});

test('--help names every option', async () => {
  const run = await createDesk().run(['proxy', 'tcp', '--help']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
  for (const flag of ['upstream', 'plan', 'port', 'host', 'journal', 'run-dir', 'seed', 'admin-port', 'target', 'strict', 'json'])
    expect(run.stdout).toContain(`--${flag}`);
});
