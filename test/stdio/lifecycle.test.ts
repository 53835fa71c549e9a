import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { proxyCommand, serverCommand, start, type Started } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-stdio-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const bank = serverCommand('bank');

function planFile(name: string, ...rules: object[]): string {
  const path = join(folder, name);
  writeFileSync(path, JSON.stringify({ version: 1, seed: 7, rules }));
  return path;
}

/** The processes that a process started. */
function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

const isGone = (pid: number): boolean =>
  !existsSync(`/proc/${pid}`) || readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === 'Z';

/** A proxy in front of the bank that has answered once. */
async function running(...options: string[]): Promise<Started & { serverPid: number }> {
  const started = start(proxyCommand(bank, ...options));
  started.client.call(0, 'echo', { text: 'up' });
  await started.client.answer(0);
  const [serverPid = 0] = childrenOf(started.child.pid);
  return { ...started, serverPid };
}

const modes: readonly (readonly [string, readonly string[]])[] = [
  ['standing aside', []],
  ['in between', ['--journal', join(folder, 'modes.jsonl')]],
];

describe.each(modes)('the end of a session, %s', (_name, options) => {
  test('the exit code of the server is ours', async () => {
    const { client, exited } = await running(...options);
    client.call(1, 'quit', { code: 23 });
    expect(await exited).toEqual({ code: 23, signal: null });
  });

  test.each(['SIGKILL', 'SIGTERM', 'SIGHUP'])('a server that dies of %s takes us along in the same way', async (signal) => {
    const { client, exited } = await running(...options);
    client.call(1, 'die', { signal });
    expect(await exited).toEqual({ code: null, signal });
  });

  test('a server that aborts is told as 128 plus the signal', async () => {
    const { client, exited } = await running(...options);
    client.call(1, 'die', { signal: 'SIGABRT' });
    expect(await exited).toEqual({ code: 134, signal: null });
  });

  test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)('%s to us reaches the server', async (signal) => {
    const { child, exited, serverPid } = await running(...options);
    child.kill(signal);
    expect(await exited).toEqual({ code: null, signal });
    expect(isGone(serverPid)).toBe(true);
  });

  test('the end of our input is the end of the server', async () => {
    const { client, exited } = await running(...options);
    client.end();
    expect(await exited).toEqual({ code: 0, signal: null });
  });

  test('killing us with SIGKILL leaves no server behind once the client is gone', async () => {
    const { child, client, exited, serverPid } = await running(...options);
    child.kill('SIGKILL');
    client.end();
    await until(() => isGone(serverPid));
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('a client that stops reading breaks nothing', async () => {
    const { child, client, exited } = await running(...options);
    child.stdout?.destroy();
    for (let id = 1; id < 50; id++) client.call(id, 'big', { bytes: 100_000 });
    client.end();
    // A server that meets a closed pipe may end in its own way; it must end.
    await exited;
  });
});

test('a server frozen by a plan is thawed when we are killed in the middle of it', async () => {
  const plan = planFile('freeze.json', { id: 'cold', fault: 'freeze', params: { forMs: 600_000 }, when: { tool: 'refund' } });
  const { child, client, serverPid } = await running('--plan', plan);
  client.call(1, 'refund');
  await until(() => readFileSync(`/proc/${serverPid}/stat`, 'utf8').split(') ')[1]?.[0] === 'T');
  child.kill('SIGKILL');
  await until(() => isGone(serverPid));
});

describe('a run that cannot start', () => {
  test('a command that does not exist: exit 3, nothing on stdout, no journal', async () => {
    const journal = join(folder, 'never.jsonl');
    const { client, stderr, exited } = start(proxyCommand(['no-such-command-here'], '--journal', journal));
    expect(await exited).toEqual({ code: 3, signal: null });
    expect(client.received()).toHaveLength(0);
    expect(stderr.received().toString()).toContain('"no-such-command-here" cannot be started: there is no such command');
    expect(existsSync(journal)).toBe(false);
  });

  test('a journal that cannot be written: exit 3, and the server is not started', async () => {
    const witness = join(folder, 'started');
    const command = [process.execPath, '-e', `require('fs').writeFileSync(${JSON.stringify(witness)}, '')`];
    const { stderr, exited } = start(proxyCommand(command, '--journal', join(folder, 'no', 'such', 'folder.jsonl')));
    expect(await exited).toEqual({ code: 3, signal: null });
    expect(stderr.received().toString()).toContain('cannot be written');
    expect(existsSync(witness)).toBe(false);
  });
});

describe('the journal and the summary', () => {
  test('tell what was done, and which rule never fired', async () => {
    const journal = join(folder, 'summary.jsonl');
    const plan = planFile(
      'summary.json',
      { id: 'broken-refund', fault: 'error-response', when: { tool: 'refund' } },
      { id: 'unused', fault: 'latency', when: { tool: 'no_such_tool' } },
    );
    const { client, stderr, exited } = await running('--plan', plan, '--journal', journal, '--label', 'me', '--seed', '9');
    client.call(1, 'refund');
    expect(await client.answer(1)).toMatchObject({ error: { code: -32603 } });
    client.end();
    await exited;
    const entries = await readJournal(journal);
    expect(entries[0]).toMatchObject({ v: 1, kind: 'start', transport: 'stdio', seed: 9 });
    expect(entries).toContainEqual(expect.objectContaining({ kind: 'fault', rule: 'broken-refund', state: 'delivered', session: 'me' }));
    expect(entries.at(-1)).toMatchObject({ kind: 'end', calls: 2, fired: { 'broken-refund': 1, unused: 0 } });
    expect(stderr.received().toString()).toMatch(
      /1 of 2 rules fired \(seed 9\)[^]*broken-refund +error-response +fired 1x[^]*unused +latency +never fired/,
    );
  });

  test('in production nothing is injected, and both say so', async () => {
    const journal = join(folder, 'guarded.jsonl');
    const plan = planFile('guarded.json', { id: 'broken-refund', fault: 'error-response', when: { tool: 'refund' } });
    const { client, stderr, exited } = start(proxyCommand(bank, '--plan', plan, '--journal', journal), { NODE_ENV: 'Production' });
    client.call(1, 'refund');
    expect(await client.text(1)).toBe('refund 1');
    client.end();
    await exited;
    expect(stderr.received().toString()).toContain('NODE_ENV says "Production": nothing is injected');
    expect((await readJournal(journal))[0]).toMatchObject({ kind: 'start', guarded: 'NODE_ENV says "Production"' });
  });
});
