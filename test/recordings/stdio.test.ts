/** Real servers and real clients: what was recorded comes back from the recording alone. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client as ModernClient } from '@modelcontextprotocol/client';
import { StdioClientTransport as ModernTransport } from '@modelcontextprotocol/client/stdio';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { expect, test } from 'vitest';
import { createDesk } from '../cli/harness.js';
import { serverCommand, start } from '../stdio/harness.js';
import { everything as everythingCommand, recording, replaying } from './harness.js';

const everything = everythingCommand('stdio');

type AnyClient = Pick<Client, 'listTools' | 'callTool' | 'listPrompts' | 'readResource' | 'close'>;

async function script(client: AnyClient): Promise<unknown[]> {
  const results: unknown[] = [];
  const attempt = async (ask: () => Promise<unknown>): Promise<void> => {
    results.push(await ask().catch((error: unknown) => String(error)));
  };
  await attempt(() => client.listTools());
  await attempt(() => client.callTool({ name: 'echo', arguments: { message: 'hello' } }));
  await attempt(() => client.callTool({ name: 'get-sum', arguments: { a: 2, b: 3 } }));
  await attempt(() => client.callTool({ name: 'get-sum', arguments: { a: 'two' } }));
  await attempt(() => client.callTool({ name: 'get-tiny-image', arguments: {} }));
  await attempt(() => client.callTool({ name: 'nobody-has-this', arguments: {} }));
  await attempt(() => client.listPrompts());
  await attempt(() => client.readResource({ uri: 'demo://no/such' }));
  await client.close();
  return results;
}

async function v1([command = '', ...args]: readonly string[]): Promise<unknown[]> {
  const client = new Client({ name: 'script', version: '1' });
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  return script(client);
}

async function v2([command = '', ...args]: readonly string[]): Promise<unknown[]> {
  const client = new ModernClient({ name: 'script', version: '1' });
  await client.connect(new ModernTransport({ command, args, stderr: 'ignore' }));
  return script(client as unknown as AnyClient);
}

test.each([
  ['first', v1],
  ['second', v2],
])('a client of the %s SDK generation gets the same from a recording of server-everything', async (_, run) => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const live = await run(recording(out, everything));
  expect(await run(replaying(out))).toEqual(live);
  expect(await run(replaying(out, '--timing', 'original'))).toEqual(live);
  expect(live).toHaveLength(8);
});

test('a rule fires on a replay, and the journal tells', async () => {
  const desk = createDesk({
    'plan.yaml': 'version: 1\nrules:\n  - id: broken-echo\n    fault: tool-error\n    when: { tool: echo }\n',
  });
  const out = join(desk.folder, 'rec.jsonl');
  const live = await v1(recording(out, everything));
  const journal = join(desk.folder, 'run.jsonl');
  const shaken = await v1(replaying(out, '--plan', join(desk.folder, 'plan.yaml'), '--journal', journal));
  expect(shaken[1]).toMatchObject({ isError: true });
  expect(shaken.toSpliced(1, 1)).toEqual(live.toSpliced(1, 1));
  const report = await desk.run(['report', journal]);
  expect(report.code).toBe(0);
  expect(report.stdout).toContain('broken-echo');
});

test('recording is transparent: the same bytes and the same end, and nothing else on stdout', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const lines = ['{"jsonrpc":"2.0", "id":0,"method":"ping"}', 'no json at all', '[]', '{"id":"a","password":"hunter2-x"}'];
  const seen = await Promise.all(
    [serverCommand('raw-echo'), recording(out, serverCommand('raw-echo'))].map(async (command) => {
      const { child, exited } = start(command);
      const chunks: Buffer[] = [];
      child.stdout?.on('data', (chunk: Buffer) => chunks.push(chunk));
      child.stdin?.end(lines.join('\r\n'));
      return { end: await exited, output: Buffer.concat(chunks).toString() };
    }),
  );
  expect(seen[1]).toEqual(seen[0]);
  const text = readFileSync(out, 'utf8');
  expect(text).not.toContain('hunter2-x');
  expect(text).toContain('"opaque":"no json at all');
});

test('a recorder that is killed leaves a recording that can be replayed', async () => {
  const out = join(createDesk().folder, 'rec.jsonl');
  const { child, client, exited } = start(recording(out, everything));
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const live = await client.answer(1);
  // A second answer came back after the first was written down.
  client.send({ jsonrpc: '2.0', id: 2, method: 'ping' });
  await client.answer(2);
  child.kill('SIGKILL');
  await exited;
  writeFileSync(out, '{"v":1,"atMs":5,"sess', { flag: 'a' });
  const replay = start(replaying(out));
  replay.client.send({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  expect(await replay.client.answer(1)).toEqual(live);
  replay.client.end();
  expect(await replay.exited).toEqual({ code: 0, signal: null });
});

test('a request that was not recorded is refused, told on stderr, and exits 1', async () => {
  const desk = createDesk({ 'rec.jsonl': '{"v":1,"kind":"start","atMs":0,"session":"r","transport":"stdio","startedAt":""}\n' });
  const { client, stderr, exited } = start(replaying(join(desk.folder, 'rec.jsonl')));
  client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
  expect(await client.answer(1)).toMatchObject({ error: { code: -32601 } });
  await stderr.line((_, text) => text.includes('no recorded answer for tools/list'));
  client.end();
  expect(await exited).toEqual({ code: 1, signal: null });
});

const START = '{"v":1,"kind":"start","atMs":0,"session":"r","transport":"stdio","startedAt":""}\n';
const TRAFFIC = '{"v":1,"atMs":0,"session":"r","direction":"to-server","message":"{}"}\n';

test.each([
  ['nothing', '', 'is empty'],
  ['bytes', '\0\u0001\ufffd\n{}\n', ':1 is no JSON'],
  ['a journal', '{"v":1,"kind":"call"}\n\n{"v":1}\n', ':1 needs "atMs"'],
  ['another version', '{"v":2}\n{"v":2}\n', ':1 has version 2'],
  ['a bad last line', `${START}{"v":1,"atMs":0,"session":"r"}\n`, ':2 needs "direction"'],
  ['a last line that is whole, and no recording', `${START}{"v":2}`, ':2 has version 2'],
  ['half a line with an end', `${START}{"v":1,"at\n`, ':2 is no JSON'],
  ['half a line in the middle', `${START}{"v":1,"at\n${TRAFFIC}`, ':2 is no JSON'],
  ['garbage at the end', `${START}garbage`, ':2 is no JSON'],
  ['an unknown kind', `${START}{"v":1,"atMs":0,"session":"r","kind":"odd"}\n`, ':2 has an unknown "kind"'],
  [
    'a header with a line end',
    `${START}{"v":1,"atMs":0,"session":"r","kind":"http","exchange":1,"method":"GET","path":"/","status":200,"headers":{"a":"b\\r\\nc"}}\n`,
    ':2 needs "headers"',
  ],
  ['a bad message', '{"v":1,"atMs":0,"session":"r","direction":"to-server","message":"{"}\n{}\n', ':1 has a "message" that is no JSON'],
])('a recording of %s is refused with its place, exit 2', async (_, text, words) => {
  const desk = createDesk({ 'rec.jsonl': text });
  for (const how of [[], ['--port', '0', '--json']]) {
    const run = await desk.run(['replay', 'rec.jsonl', ...how]);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(`rec.jsonl${words.startsWith(':') ? '' : ' '}${words}`);
    expect(run.stdout).toBe('');
  }
});

test.each([
  ['at the end, without a line end', `${START}${TRAFFIC}{"v":1,"atMs":5,"sess`],
  ['before the start of the next run', `${START}{"v":1,"atMs":5,"mess\n${START}${TRAFFIC}`],
])('a torn line %s is forgiven', async (_, text) => {
  const run = await createDesk({ 'rec.jsonl': text }).run(['replay', 'rec.jsonl']);
  expect(run).toMatchObject({ code: 0, stderr: '' });
});
