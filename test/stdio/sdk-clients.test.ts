import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client as ClientOfToday, type ClientOptions } from '@modelcontextprotocol/client';
import { StdioClientTransport as TransportOfToday } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { toolquake } from '../demo/toolquake.js';
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

const storyOf2 =
  (versionNegotiation: ClientOptions['versionNegotiation']): Story =>
  async ([command = '', ...args], tool, values) => {
    const client = new ClientOfToday(info, { versionNegotiation });
    try {
      await client.connect(new TransportOfToday({ command, args, stderr: 'ignore' }));
      const result = await client.callTool({ name: tool, arguments: values });
      return [client.getServerVersion(), client.getNegotiatedProtocolVersion(), await client.listTools(), result];
    } finally {
      await client.close();
    }
  };

const stories: Record<string, Story> = {
  'sdk 1': async ([command = '', ...args], tool, values) => {
    const client = new FirstClient(info);
    await client.connect(new FirstTransport({ command, args, stderr: 'ignore' }));
    const seen = [client.getServerVersion(), await client.listTools(), await client.callTool({ name: tool, arguments: values })];
    await client.close();
    return seen;
  },
  'client 2, legacy': storyOf2({ mode: 'legacy' }),
  'client 2, auto (starts the command twice)': storyOf2({ mode: 'auto', probe: { timeoutMs: 20_000 } }),
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

describe('client 2, pinned to the modern era', () => {
  const pinned = storyOf2({ mode: { pin: '2026-07-28' } });

  test('sees the same of a server of sdk 2 through the proxy', async () => {
    const journal = join(folder, 'pinned.jsonl');
    const direct = await pinned(serverCommand('sdk2'), 'greet', {});
    expect(direct).toContain('2026-07-28');
    expect(await pinned(proxyCommand(serverCommand('sdk2')), 'greet', {})).toEqual(direct);
    expect(await pinned(proxyCommand(serverCommand('sdk2'), '--journal', journal), 'greet', {})).toEqual(direct);
    expect(await readJournal(journal)).toContainEqual(expect.objectContaining({ kind: 'call', outcome: 'ok', era: 'modern' }));
  });

  test('refuses a legacy server through the proxy with the same error', async () => {
    for (const command of [everything, proxyCommand(everything), proxyCommand(everything, '--journal', join(folder, 'refused.jsonl'))])
      await expect(pinned(command, 'echo', {})).rejects.toMatchObject({ name: 'SdkError', code: 'ERA_NEGOTIATION_FAILED' });
  });
});

describe('a client that starts the command twice, first to try it', () => {
  const plan = join(folder, 'once.json');
  writeFileSync(plan, JSON.stringify({ seed: 5, rules: [{ id: 'once', fault: 'error-response', when: { tool: '*' }, at: { first: 1 } }] }));

  /** Two calls in one session: the first meets the rule. */
  async function callTwice([command = '', ...args]: readonly string[], tool: string, values: Record<string, unknown>): Promise<void> {
    const client = new ClientOfToday(info, { versionNegotiation: { mode: 'auto', probe: { timeoutMs: 20_000 } } });
    await client.connect(new TransportOfToday({ command, args, stderr: 'ignore' }));
    const first = client.callTool({ name: tool, arguments: values });
    await expect(first).rejects.toMatchObject({ name: 'ProtocolError' });
    await expect(client.callTool({ name: tool, arguments: values })).resolves.toHaveProperty('content');
    await client.close();
  }

  test.each([
    ['a modern server', serverCommand('sdk2'), 'greet', {}],
    ['a legacy server', everything, 'echo', { message: 'x' }],
  ] as const)(
    'finds a rule for one call still there in the session, and the trial is no crash: %s',
    async (name, command, tool, values) => {
      const journal = join(folder, `twice ${name}.jsonl`);
      const runs = join(folder, `twice ${name}`);
      await callTwice(proxyCommand(command, '--plan', plan, '--journal', journal), tool, values);
      await callTwice(proxyCommand(command, '--plan', plan, '--run-dir', runs), tool, values);

      const entries = await readJournal(journal);
      expect(entries.filter(({ kind }) => kind === 'start')).toHaveLength(2);
      expect(entries.filter(({ kind }) => kind === 'fault')).toEqual([expect.objectContaining({ rule: 'once', state: 'delivered' })]);
      expect(entries.filter(({ kind }) => kind === 'call').map((entry) => 'outcome' in entry && entry.outcome)).toEqual([
        'rpc-error',
        'ok',
      ]);
      for (const path of [journal, runs]) {
        const { code, stdout } = toolquake(['report', path, '--json']);
        expect(code).toBe(0);
        const { rules, runs: told } = JSON.parse(stdout) as { rules: object[]; runs: { list: { hasEnded: boolean; calls: number }[] } };
        expect(rules).toMatchObject([{ id: 'once', runs: 2, fired: 1 }]);
        const runsInWords = told.list.map(({ hasEnded, calls }) => `${calls} calls, ${hasEnded ? 'ended' : 'cut off'}`);
        expect(new Set(runsInWords)).toEqual(new Set(['0 calls, ended', '2 calls, ended']));
      }
    },
  );
});
