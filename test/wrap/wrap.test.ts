/** `wrap` and `unwrap` as a user meets them: real files, the built command line, a real client. */
import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { binPath, createDesk, type Desk } from '../cli/harness.js';

const bank = fileURLToPath(new URL('../servers/bank.mjs', import.meta.url));
const PLAN = `version: 1
seed: 1
rules:
  - id: refused
    fault: error-response
    when: { tool: echo, target: bank }
`;
const CONFIG = `\uFEFF{
  // who we talk to\r
  "mcpServers": {
    "bank": {
      "command": ${JSON.stringify(process.execPath)}, // node
      "args": [${JSON.stringify(bank)}],
      "env": { "BANK_TOKEN": "hush-hush" },
    },
    "search": { "type": "http", "url": "https://me:hush-hush@search.test/mcp?key=hush-hush" },
  },
}
`;

const desk = (files: Record<string, string> = {}): Desk => createDesk({ '.mcp.json': CONFIG, 'plan.yaml': PLAN, ...files });
const read = (at: Desk, name = '.mcp.json'): string => readFileSync(join(at.folder, name), 'utf8');
const WRAP = ['wrap', '.mcp.json', '--plan', 'plan.yaml'];
const BACKUP = '.mcp.json.toolquake-backup';

/** What the client of the entry `bank` gets for a call. */
async function callBank(text: string): Promise<unknown> {
  const plain = text
    .replace('\uFEFF', '')
    .replace(/\/\/.*$/gm, '')
    .replace(/,(\s*})/g, '$1');
  const { mcpServers } = JSON.parse(plain.replace('https:', 'https:')) as {
    mcpServers: { bank: { command: string; args: string[]; env: Record<string, string> } };
  };
  const client = new Client({ name: 'tester', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ ...mcpServers.bank, stderr: 'ignore' }));
  try {
    return await client.callTool({ name: 'echo', arguments: { text: 'hello' } }).catch((error: unknown) => (error as Error).message);
  } finally {
    await client.close();
  }
}

test('a wrapped server meets the rules of the plan, and after unwrap none', async () => {
  const at = desk({ '.mcp.json': CONFIG.replace(/ *"search".*\n/, '') });
  const before = await callBank(read(at));
  expect(before).toMatchObject({ content: [{ type: 'text', text: 'hello' }] });
  const { code, stdout } = await at.run([...WRAP, '--journal', 'run.jsonl']);
  expect(code).toBe(0);
  expect(stdout).toContain(`Clients start the proxy by: ${process.execPath} ${binPath}`);
  expect(await callBank(read(at))).not.toEqual(before);
  expect(read(at, 'run.jsonl')).toContain('"rule":"refused"');
  expect((await at.run(['unwrap', '.mcp.json'])).code).toBe(0);
  expect(await callBank(read(at))).toEqual(before);
});

describe('wrap', () => {
  test('keeps the exact original and its mode, changes two values, and names what it leaves alone', async () => {
    const at = desk();
    chmodSync(join(at.folder, '.mcp.json'), 0o640);
    const { code, stdout, stderr } = await at.run(WRAP);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(read(at, BACKUP)).toBe(CONFIG);
    expect([BACKUP, '.mcp.json'].map((name) => statSync(join(at.folder, name)).mode & 0o777)).toEqual([0o640, 0o640]);
    expect(at.files()).toEqual(['.mcp.json', BACKUP, 'plan.yaml']);
    const words = [binPath, 'proxy', 'stdio', '--plan', join(at.folder, 'plan.yaml'), '--target=bank', '--', process.execPath];
    expect(read(at)).toBe(CONFIG.replace('"args": [', `"args": [${words.map((word) => `${JSON.stringify(word)}, `).join('')}`));
    expect(stdout).toContain('left alone  search: the client reaches it by URL');
    expect(stdout).toContain('toolquake proxy http --upstream https://search.test/mcp --plan');
    expect(stdout).not.toContain('hush-hush');
  });

  test('changes nothing the second time, and swaps the plan when it is another', async () => {
    const at = desk({ 'other.yaml': PLAN });
    await at.run(WRAP);
    const wrapped = read(at);
    expect((await at.run(WRAP)).stdout).toContain('.mcp.json: nothing to change.');
    expect(read(at)).toBe(wrapped);
    expect((await at.run(['wrap', '.mcp.json', '--plan', 'other.yaml', '--command', 'toolquake'])).code).toBe(0);
    expect(read(at).match(/"proxy"/g)).toHaveLength(1);
    expect(read(at)).toContain('other.yaml');
    expect(read(at, BACKUP)).toBe(CONFIG);
    expect((await at.run(['unwrap', '.mcp.json'])).stdout).toContain('it is the original again, byte for byte');
    expect(read(at)).toBe(CONFIG);
    expect(at.files()).not.toContain(BACKUP);
  });

  test('writes nothing in a dry run, and prints JSON', async () => {
    const at = desk();
    const { stdout } = await at.run([...WRAP, '--dry-run', '--json']);
    expect(JSON.parse(stdout)).toMatchObject({
      isDryRun: true,
      changes: [{ server: 'bank', before: { command: process.execPath, args: [bank] }, after: { command: process.execPath } }],
      leftAlone: [{ server: 'search' }],
    });
    expect(read(at)).toBe(CONFIG);
    expect(at.files()).toEqual(['.mcp.json', 'plan.yaml']);
  });

  test('shows arguments without their secrets', async () => {
    const args = ['--api-key', 'hush-hush', '--token=hush-hush', 'DB_PASSWORD=hush-hush', 'postgres://u:hush-hush@h/db', 'plain'];
    const at = desk({ '.mcp.json': JSON.stringify({ mcpServers: { db: { command: 'db', args, env: { A: 'hush-hush' } } } }) });
    for (const extra of [[], ['--json']]) {
      const { code, stdout } = await at.run([...WRAP, '--dry-run', ...extra]);
      expect(code).toBe(0);
      expect(stdout).toContain('plain');
      expect(stdout).toContain('--token=[redacted]');
      expect(stdout).not.toContain('hush-hush');
    }
  });

  test('colours the difference where colours are wanted', async () => {
    const at = desk();
    expect((await at.run([...WRAP, '--dry-run'], { FORCE_COLOR: '1' })).stdout).toContain('\u001b[32m+ "command"');
    expect((await at.run([...WRAP, '--dry-run'], { FORCE_COLOR: '1', NO_COLOR: '1' })).stdout).not.toContain('\u001b');
  });

  test('follows a symbolic link instead of replacing it', async () => {
    const at = desk({ 'real.json': CONFIG });
    symlinkSync('real.json', join(at.folder, 'link.json'));
    expect((await at.run(['wrap', 'link.json', '--plan', 'plan.yaml'])).code).toBe(0);
    expect(lstatSync(join(at.folder, 'link.json')).isSymbolicLink()).toBe(true);
    expect(read(at, 'real.json')).toContain('"proxy"');
    expect((await at.run(['unwrap', 'link.json'])).code).toBe(0);
    expect(read(at, 'real.json')).toBe(CONFIG);
  });

  test.each([
    ['servers', '{"servers": {"bank": {"type": "stdio", "command": "bank"}}, "inputs": []}'],
    ['mcp.servers of settings', '{"editor.tabSize": 2, "mcp": {"servers": {"bank": {"command": "bank"}}}}'],
    ['mcp.servers as one name', '{"mcp.servers": {"bank": {"command": "bank"}}}'],
  ])('knows %s', async (_, text) => {
    const at = desk({ '.mcp.json': text });
    expect((await at.run(WRAP)).code).toBe(0);
    expect(read(at)).toContain('"--target=bank", "--", "bank"]');
    expect((await at.run(['unwrap', '.mcp.json'])).code).toBe(0);
    expect(read(at)).toBe(text);
  });
});

describe('unwrap', () => {
  test('keeps what was edited since, and says so', async () => {
    const at = desk();
    await at.run(WRAP);
    const edit = (text: string): string => text.replace('// who we talk to', '// edited').replace('"BANK_TOKEN"', '"BANK_SECRET"');
    writeFileSync(join(at.folder, '.mcp.json'), edit(read(at)));
    expect((await at.run(['unwrap', '.mcp.json'])).stdout).toContain('it was edited since it was wrapped; the edits stay');
    expect(read(at)).toBe(edit(CONFIG));
    expect(read(at, BACKUP)).toBe(CONFIG);
  });

  test('rebuilds commands without a backup', async () => {
    const at = desk();
    await at.run([...WRAP]);
    const wrapped = read(at);
    const alone = createDesk({ '.mcp.json': wrapped });
    expect(JSON.parse((await alone.run(['unwrap', '.mcp.json', '--json'])).stdout)).toMatchObject({ from: 'rebuilt' });
    expect(read(alone)).toBe(CONFIG);
  });

  test('says that nothing is wrapped', async () => {
    const at = desk();
    expect(await at.run(['unwrap', '.mcp.json'])).toMatchObject({
      code: 0,
      stdout: '.mcp.json: no server is wrapped; nothing to change.\n',
    });
    expect(read(at)).toBe(CONFIG);
  });
});

describe('refuses, and leaves every file as it was', () => {
  test.each<[string, Record<string, string>, string[], number, string]>([
    ['a missing config', {}, ['wrap', '.mcp.jsn', '--plan', 'plan.yaml'], 2, 'error .mcp.jsn does not exist.\nDid you mean ".mcp.json"?'],
    ['a missing plan', {}, ['wrap', '.mcp.json', '--plan', 'no.yaml'], 2, 'error no.yaml does not exist.'],
    ['no plan', {}, ['wrap', '.mcp.json'], 2, 'error "toolquake wrap" needs --plan'],
    ['a broken plan', { 'plan.yaml': 'rules: [{ fault: latencyy }]' }, WRAP, 2, 'plan.yaml:1:18: '],
    ['a fault that stdio cannot do', { 'plan.yaml': 'rules: [{ id: a, fault: rate-limit-429 }]' }, WRAP, 2, 'error plan.yaml:1:'],
    ['broken JSON', { '.mcp.json': '{\n  "mcpServers": {\n    "a" {}' }, WRAP, 2, 'error .mcp.json:3:9: "{" stands where ":" is expected.'],
    ['half a file', { '.mcp.json': '{"mcpServers": ' }, WRAP, 2, 'error .mcp.json:1:16: The text ends where a value is expected.'],
    ['an empty file', { '.mcp.json': '' }, WRAP, 2, 'error .mcp.json:1:1: The text ends'],
    ['no servers', { '.mcp.json': '{"mcpServers": {}}' }, WRAP, 2, 'error .mcp.json lists no servers.'],
    ['an unknown server', {}, [...WRAP, '--server', 'bnak'], 2, 'error .mcp.json has no server "bnak".\nDid you mean "bank"?'],
    ['a server by URL', {}, [...WRAP, '--server', 'search'], 2, 'Run "toolquake proxy http --upstream https://search.test/mcp --plan'],
    [
      'odd arguments',
      { '.mcp.json': '{"mcpServers": {"a": {"command": "a", "args": [1]}}}' },
      [...WRAP, '--server', 'a'],
      2,
      'error Server "a" cannot be wrapped: its "args" is no list of texts.',
    ],
  ])('%s', async (_, files, argv, exitCode, message) => {
    const at = desk(files);
    const before = [at.files(), read(at)];
    const { code, stdout, stderr } = await at.run(argv);
    expect(stderr).toContain(message);
    expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
    expect(stderr).not.toContain('hush-hush');
    expect([at.files(), read(at)]).toEqual(before);
  });

  test('a read-only file', async () => {
    const at = desk();
    chmodSync(join(at.folder, '.mcp.json'), 0o444);
    const { code, stderr } = await at.run(WRAP);
    expect(stderr).toContain('error .mcp.json cannot be written: it is read-only.');
    expect(code).toBe(3);
    expect(at.files()).toEqual(['.mcp.json', 'plan.yaml']);
  });
});
