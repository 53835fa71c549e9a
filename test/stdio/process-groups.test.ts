import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { defineFault, disconnect, signalServer } from '@toolquake/sdk/core';
import { afterAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { createVirtualClock } from '../../packages/toolquake/src/simulator/virtual-clock.js';
import { proxied, proxyCommand, rule, serverCommand, start, wrapped } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-stdio-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modes = [
  ['standing aside', []],
  ['in between', ['--journal', join(folder, 'modes.jsonl')]],
] as const;

const base = { summary: 'For this test.', carriers: ['mcp'], params: {} } as const;
const freeze = defineFault({
  ...base,
  type: 'freeze',
  role: 'extra',
  decide: (event) => (event.kind === 'frame' && event.part === 'request' ? [signalServer('freeze', 60_000)] : []),
});
const lostAck = defineFault({
  ...base,
  type: 'lost-ack',
  role: 'terminal',
  decide: (event) => (event.kind === 'frame' && event.part === 'answer' ? [disconnect('reset')] : []),
});
const onRefund = { when: { tool: ['refund'] } };

/** The state letter of a process: T while it is stopped, Z when only its parent has not noticed its end, nothing once it is gone. */
function stateOf(pid: number): string | undefined {
  if (!existsSync(`/proc/${pid}`)) return undefined;
  return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0];
}

const isGone = (pid: number): boolean => ['Z', undefined].includes(stateOf(pid));

function childrenOf(pid: number | undefined): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ').map(Number);
}

/** The process that another one started first: the server behind a wrapper, or behind the proxy. */
const behind = (pid: number | undefined): number => childrenOf(pid)[0] ?? 0;

const commandOf = (pid: number): string => (existsSync(`/proc/${pid}`) ? readFileSync(`/proc/${pid}/cmdline`, 'utf8') : '');

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((resolve) => setImmediate(resolve));
}

describe('a server behind a wrapper', () => {
  test('is frozen and thawed itself', async () => {
    const clock = createVirtualClock();
    const { client, proxy, server } = await proxied(wrapped(serverCommand('bank')), [rule(freeze, onRefund)], { clock });
    client.call(1, 'executions');
    await client.answer(1);
    const pid = behind(server.child.pid);
    client.call(2, 'refund');
    await until(() => stateOf(pid) === 'T');
    clock.advance(60_000);
    expect(await client.text(2)).toBe('refund 1');
    client.end();
    expect(await proxy.finished).toMatchObject({ code: 0 });
  });

  test('dies with its wrapper when the connection is reset', async () => {
    const { client, proxy, server } = await proxied(wrapped(serverCommand('stubborn')), [rule(lostAck, onRefund)]);
    client.call(1, 'executions');
    await client.answer(1);
    const pid = behind(server.child.pid);
    client.call(2, 'refund');
    expect(await proxy.finished).toMatchObject({ code: null, signal: 'SIGKILL' });
    await until(() => isGone(pid));
  });

  test('is thawed when we are killed in the middle of a freeze', async () => {
    const plan = join(folder, 'freeze.json');
    const rules = [{ id: 'cold', fault: 'freeze', params: { forMs: 600_000 }, when: { tool: 'refund' } }];
    writeFileSync(plan, JSON.stringify({ version: 1, seed: 7, rules }));
    const { child, client } = start(proxyCommand(wrapped(serverCommand('bank')), '--plan', plan));
    client.call(1, 'executions');
    await client.answer(1);
    const pid = behind(behind(child.pid));
    client.call(2, 'refund');
    await until(() => stateOf(pid) === 'T');
    child.kill('SIGKILL');
    await until(() => isGone(pid));
  });
});

describe.each(modes)('a server that ignores the end of its input and SIGTERM, %s', (_name, options) => {
  test.each([
    ['alone', serverCommand('stubborn')],
    ['behind a wrapper', wrapped(serverCommand('stubborn'))],
  ] as const)('does not outlive a client that closes, %s', async (_where, server) => {
    const [command = '', ...args] = proxyCommand(server, ...options);
    const client = new Client({ name: 'tester', version: '1.0.0' });
    await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
    const pid = Number(client.getServerVersion()?.version);
    await client.close();
    await until(() => isGone(pid));
    const [journal] = options.slice(1);
    // In between we end before the client loses its patience, so the journal is whole.
    if (journal !== undefined) expect((await readJournal(journal)).at(-1)).toMatchObject({ kind: 'end' });
  });

  test('invariant 27: dies with us when we are killed out of the blue, even with its input open, and the client sees a clean end', async () => {
    const { child, client, exited } = start(proxyCommand(serverCommand('stubborn'), ...options));
    const ended = once(child.stdout!, 'end');
    let said = '';
    child.stdout!.on('data', (bytes: Buffer) => (said += bytes.toString()));
    client.send({ id: 1, method: 'ping' });
    await client.answer(1);
    const pid = behind(child.pid);
    child.kill('SIGKILL');
    await until(() => isGone(pid));
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
    await ended;
    expect(said).toMatch(/^\{.*\}\n$/);
  });

  test('is killed by whoever kills us after SIGTERM, even with its input open', async () => {
    const { child, client, exited } = start(proxyCommand(serverCommand('stubborn'), ...options), {}, true);
    client.send({ id: 1, method: 'ping' });
    await client.answer(1);
    const pid = behind(child.pid);
    child.kill('SIGTERM');
    // The warden is there once it runs its own program; before that it is a copy of the proxy, in the proxy's group.
    await until(() => childrenOf(child.pid).some((one) => commandOf(one).includes('SIGKILL')));
    process.kill(-(child.pid ?? 0), 'SIGKILL');
    await until(() => isGone(pid));
    expect(await exited).toEqual({ code: null, signal: 'SIGKILL' });
  });
});

describe.each(modes)('SIGINT, %s', (_name, options) => {
  test.each([
    ['to our whole process group, as a terminal sends it', -1],
    ['to us alone', 1],
  ] as const)('%s reaches the server once', async (_whom, sign) => {
    const { child, stderr, exited } = start(proxyCommand(serverCommand('interrupted'), ...options), {}, true);
    await stderr.line((_message, text) => text === 'ready');
    process.kill(sign * (child.pid ?? 0), 'SIGINT');
    await stderr.line((_message, text) => text === 'interrupted');
    // Signals are handed on in order: a second SIGINT would arrive before this.
    child.kill('SIGTERM');
    expect(await exited).toEqual({ code: 0, signal: null });
    expect(stderr.received().toString()).toContain('interrupted 1x');
  });
});
