import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientOfToday } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportOfToday } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { proxyCommand, serverCommand } from './harness.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-stdio-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const everything = [
  process.execPath,
  createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js'),
  'stdio',
];
const info = { name: 'tester', version: '1.0.0' };

/** What a client makes of a server: the same through the proxy as without it. */
type Story = (command: readonly string[], tool: string, args: Record<string, unknown>) => Promise<unknown>;

const stories: Record<string, Story> = {
  'sdk 1': async ([command = '', ...args], tool, values) => {
    const client = new FirstClient(info);
    await client.connect(new FirstTransport({ command, args, stderr: 'ignore' }));
    const seen = [client.getServerVersion(), await client.listTools(), await client.callTool({ name: tool, arguments: values })];
    await client.close();
    return seen;
  },
  'client 2, legacy': async ([command = '', ...args], tool, values) => {
    const client = new ClientOfToday(info);
    await client.connect(new TransportOfToday({ command, args, stderr: 'ignore' }));
    const seen = [client.getServerVersion(), await client.listTools(), await client.callTool({ name: tool, arguments: values })];
    await client.close();
    return seen;
  },
  'client 2, auto (starts the command twice)': async ([command = '', ...args], tool, values) => {
    const client = new ClientOfToday(info, { versionNegotiation: { mode: 'auto', probe: { timeoutMs: 20_000 } } });
    await client.connect(new TransportOfToday({ command, args, stderr: 'ignore' }));
    const seen = [client.getServerVersion(), await client.listTools(), await client.callTool({ name: tool, arguments: values })];
    await client.close();
    return seen;
  },
};

describe.each(Object.entries(stories))('%s', (name, story) => {
  test.each([
    ['server-everything', everything, 'echo', { message: 'grüße ✓' }],
    ['a server of sdk 2', serverCommand('sdk2'), 'greet', {}],
  ] as const)('sees the same of %s through the proxy', async (server, command, tool, args) => {
    const journal = join(folder, `${name}-${server}.jsonl`.replaceAll(/[ ,()]/g, '_'));
    const direct = await story(command, tool, args);
    expect(await story(proxyCommand(command), tool, args)).toEqual(direct);
    expect(await story(proxyCommand(command, '--journal', journal), tool, args)).toEqual(direct);
    const calls = (await readJournal(journal)).filter((entry) => entry.kind === 'call');
    expect(calls).toEqual([expect.objectContaining({ outcome: 'ok', tool, session: 'tester#1' })]);
  });
});
