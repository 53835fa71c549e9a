/** Published servers say the same, to the last byte, with the proxy in front of them as without it. */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, test } from 'vitest';
import { readJournal } from '../../packages/toolquake/src/operations/journal-file.js';
import { proxyCommand, start } from '../stdio/harness.js';
import { maskChanging } from './masking.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-proof-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const home = join(folder, 'home');
mkdirSync(home);

const idlePlan = join(folder, 'idle.json');
writeFileSync(
  idlePlan,
  JSON.stringify({ version: 1, seed: 1, rules: [{ id: 'never', fault: 'latency', when: { tool: 'no_such_tool' } }] }),
);

/** The servers and how many tools each has: a server that fails to start would look the same on both sides. */
const servers: Readonly<Record<string, readonly [command: readonly string[], tools: number]>> = {
  '@antv/mcp-server-chart': [['mcp-server-chart'], 27],
  '@eslint/mcp': [['mcp'], 1],
  '@modelcontextprotocol/server-everything': [['mcp-server-everything', 'stdio'], 13],
  '@modelcontextprotocol/server-filesystem': [['mcp-server-filesystem', home], 14],
  '@modelcontextprotocol/server-map': [['mcp-map-server', '--stdio'], 2],
  '@modelcontextprotocol/server-memory': [['mcp-server-memory'], 9],
  '@modelcontextprotocol/server-sequential-thinking': [['mcp-server-sequential-thinking'], 1],
  '@notionhq/notion-mcp-server': [['notion-mcp-server'], 24],
  'mcp-server-commands': [['mcp-server-commands'], 1],
  'time-mcp': [['time-mcp'], 6],
};

const commandOf = ([bin = '', ...args]: readonly string[]): string[] => [
  process.execPath,
  fileURLToPath(new URL(`../servers/real/node_modules/.bin/${bin}`, import.meta.url)),
  ...args,
];

const hello = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'scripted', version: '1' } };
const script: readonly { id?: number | string; method: string; params?: object }[] = [
  { id: 0, method: 'initialize', params: hello },
  { method: 'notifications/initialized' },
  { id: 'list', method: 'tools/list' },
  { id: 2, method: 'ping' },
  { id: 3, method: 'no/such' },
];

/** Says the script, each request after the answer to the one before, closes stdin, and collects all there is to see. */
async function converse(command: readonly string[]) {
  // A home of their own: what servers keep there must not come from, or go to, the machine that runs the test.
  const { client, stderr, exited } = start(command, { HOME: home, MEMORY_FILE_PATH: join(home, 'memory.jsonl') });
  const answers = new Map<number | string, object>();
  for (const step of script) {
    client.send(step);
    if (step.id !== undefined) answers.set(step.id, await client.answer(step.id));
  }
  client.end();
  const { code, signal } = await exited;
  const stdout = createHash('sha256').update(client.received()).digest('hex');
  return { answers, seen: { stdout, bytes: client.received().length, code, signal, stderr: maskChanging(stderr.received().toString()) } };
}

describe.each(Object.entries(servers))('%s', (name, [command, tools]) => {
  test('says, writes and ends the same directly, proxied, and watched by an idle plan and a journal', async () => {
    const journal = join(folder, `${name.replaceAll('/', '_')}.jsonl`);
    const direct = await converse(commandOf(command));
    expect(direct.answers.get('list')).toMatchObject({ result: { tools: { length: tools } } });
    expect(direct.answers.get(2)).toMatchObject({ result: {} });
    expect(direct.answers.get(3)).toMatchObject({ error: { code: -32601 } });
    expect(direct.seen).toMatchObject({ code: 0, signal: null });

    expect((await converse(proxyCommand(commandOf(command)))).seen).toEqual(direct.seen);

    const watched = (await converse(proxyCommand(commandOf(command), '--plan', idlePlan, '--journal', journal))).seen;
    // A plan is summed up after everything the server wrote: the only thing the proxy ever adds, and signed.
    const summary = watched.stderr.slice(direct.seen.stderr.length);
    expect(watched).toEqual({ ...direct.seen, stderr: direct.seen.stderr + summary });
    expect(summary).toMatch(/^toolquake: 0 of 1 rules fired .*\n(?:toolquake: .*\n)*$/);
    const kinds = (await readJournal(journal)).map((entry) => entry.kind);
    expect(kinds).toEqual(expect.arrayContaining(['start', 'end']));
    expect(kinds).not.toContain('fault');
  });
});
