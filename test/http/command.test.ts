/** `toolquake proxy http` as users start it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { request } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { JournalEntry } from '@toolquake/sdk/core';
import { afterEach, expect, test } from 'vitest';
import { startBank } from '../servers/http-bank.mjs';
import { call, initialize, messagesOf, open, post, textOf } from './harness.js';

const CLI = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));
const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Started = {
  readonly child: ChildProcess;
  readonly said: () => string;
  readonly printed: () => string;
  readonly exited: Promise<number | null>;
};

function start(args: readonly string[], env: NodeJS.ProcessEnv = {}): Started {
  const development = { NODE_ENV: 'development', ENVIRONMENT: 'development' };
  const child = spawn(process.execPath, [CLI, 'proxy', 'http', ...args], {
    stdio: 'pipe',
    env: { ...process.env, ...development, ...env },
  });
  stops.push(() => child.kill('SIGKILL'));
  let stderr = '';
  let stdout = '';
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  return {
    child,
    said: () => stderr,
    printed: () => stdout,
    exited: new Promise((resolve) => child.once('close', (code) => resolve(code))),
  };
}

async function listening(started: Started): Promise<string> {
  await expect.poll(started.said, { timeout: 10_000 }).toContain('listening on ');
  return /listening on (\S+),/.exec(started.said())![1]!;
}

async function bank(): Promise<Awaited<ReturnType<typeof startBank>>> {
  const started = await startBank();
  stops.push(() => started.stop());
  return started;
}

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'toolquake-http-'));
  stops.push(() => rmSync(path, { recursive: true }));
  return path;
}

const entries = (path: string): JournalEntry[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as JournalEntry);

test('says where it listens, performs a plan, and ends with its journal and summary on Ctrl-C', async () => {
  const server = await bank();
  const plan = join(folder(), 'plan.yaml');
  const journal = join(folder(), 'journal.jsonl');
  writeFileSync(
    plan,
    'version: 1\nseed: 7\nrules:\n  - { id: lost, fault: lost-ack, when: { tool: refund } }\n  - { id: slow, fault: latency, when: { tool: nobody } }\n',
  );
  const started = start(['--plan', plan, '--journal', journal, '--upstream', server.url, '--port', '0', '--json']);
  const url = await listening(started);
  expect(JSON.parse(started.printed())).toEqual({ kind: 'listening', url, upstream: server.url, port: Number(new URL(url).port) });
  const session = { 'mcp-session-id': String((await post(url, initialize())).headers['mcp-session-id']) };
  const stream = await open(url, 'GET', undefined, session);
  // A lost answer stays lost, also when the proxy stops.
  const lost = expect(post(url, call(1, 'refund'), session)).rejects.toThrow('socket hang up');
  const found = await post(url, call(2, 'echo', { text: 'fine' }), session);
  expect(textOf(messagesOf(found.body)[0])).toBe('fine');
  await expect.poll(() => server.executions).toBe(1);
  started.child.kill('SIGINT');
  expect(await started.exited).toBe(130);
  await lost;
  stream.destroy();
  expect(started.said()).toContain('1 of 2 rules fired (seed 7)');
  const [first, ...rest] = entries(journal);
  expect(first).toMatchObject({ kind: 'start', transport: 'http', seed: 7 });
  expect(rest.at(-1)).toMatchObject({ kind: 'end', fired: { lost: 1, slow: 0 } });
  expect(rest).toContainEqual(expect.objectContaining({ kind: 'fault', rule: 'lost', state: 'delivered', session: 'agent#1' }));
  expect(rest).toContainEqual(expect.objectContaining({ kind: 'call', tool: 'echo', outcome: 'ok', session: 'agent#1', era: 'legacy' }));
});

test('a call that a rule kept from the server is not executed when the proxy stops', async () => {
  const server = await bank();
  const plan = join(folder(), 'plan.yaml');
  const journal = join(folder(), 'journal.jsonl');
  writeFileSync(plan, 'rules:\n  - { id: hang, fault: hang, when: { tool: refund } }\n');
  const started = start(['--plan', plan, '--journal', journal, '--upstream', server.url, '--port', '0']);
  const url = await listening(started);
  const session = { 'mcp-session-id': String((await post(url, initialize())).headers['mcp-session-id']) };
  const hung = expect(post(url, call(1, 'refund'), session)).rejects.toThrow('socket hang up');
  // Answered after the hung call arrived, and it leaves a warm connection to the server behind.
  await post(url, call(2, 'echo', { text: 'fine' }), session);
  started.child.kill('SIGINT');
  expect(await started.exited).toBe(130);
  await hung;
  expect(server.executions).toBe(0);
  expect(entries(journal)).toContainEqual(expect.objectContaining({ kind: 'call', tool: 'refund', outcome: 'no-answer' }));
});

test('a client that does not read does not keep the proxy from stopping', async () => {
  const flood = createServer((socket) => {
    socket.once('data', () => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 50000000\r\n\r\n');
      socket.write(Buffer.alloc(50_000_000));
    });
    socket.on('error', () => {});
    stops.push(() => socket.destroy());
  });
  await new Promise<void>((resolve) => flood.listen(0, '127.0.0.1', resolve));
  stops.push(() => flood.close());
  const started = start(['--upstream', `http://127.0.0.1:${(flood.address() as AddressInfo).port}/mcp/`, '--port', '0']);
  const url = new URL(await listening(started));
  // An upstream that ends in a slash goes before every path, so clients do not repeat it.
  expect(url.pathname).toBe('/');
  const client = connect(Number(url.port), '127.0.0.1');
  stops.push(() => client.destroy());
  client.on('error', () => {});
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(client, 'readable');
  started.child.kill('SIGTERM');
  expect(await started.exited).toBe(130);
});

test('a server that starts later is no error, only a warning', async () => {
  const server = await startBank();
  await server.stop();
  const started = start(['--upstream', server.url, '--port', '0']);
  const url = await listening(started);
  await expect.poll(started.said).toContain('nobody listens at');
  expect((await post(url, call(1, 'echo', { text: 'x' }))).status).toBe(502);
  started.child.kill('SIGTERM');
  expect(await started.exited).toBe(130);
});

test('a port in use is exit 3, with advice', async () => {
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  stops.push(() => other.close());
  const { port } = other.address() as AddressInfo;
  const journal = join(folder(), 'journal.jsonl');
  const started = start(['--upstream', 'http://127.0.0.1:9/mcp', '--port', String(port), '--journal', journal]);
  expect(await started.exited).toBe(3);
  expect(started.said()).toContain(`Port ${port} on 127.0.0.1 is in use.`);
  expect(started.said()).toContain('--port 0');
});

test.each([
  [['--upstream', 'localhost:3000/mcp'], 'is no http or https URL'],
  [['--upstream', 'ftp://localhost/mcp'], 'is no http or https URL'],
  [['--upstream', 'http://user:secret@localhost/mcp'], 'carries a user name or password'],
  [['--upstream', 'http://localhost/mcp?a=1'], 'carries a query'],
  [[], '--upstream'],
  [['--upstream', 'http://localhost/mcp', '--port', '70000'], '65535'],
])('%j is exit 2 and says why', async (args, why) => {
  const started = start(args);
  expect(await started.exited).toBe(2);
  expect(started.said()).toContain(why);
  expect(started.said()).not.toContain('secret');
});

test('runs transparent in production, and says so', async () => {
  const server = await bank();
  const plan = join(folder(), 'plan.yaml');
  writeFileSync(plan, 'version: 1\nrules:\n  - { id: broken, fault: http-status }\n');
  const started = start(['--plan', plan, '--upstream', server.url, '--port', '0'], { NODE_ENV: 'production' });
  const url = await listening(started);
  expect(started.said()).toContain('nothing is injected');
  expect((await post(url, call(1, 'echo', { text: 'x' }))).status).toBe(200);
});

test('warns when other machines can reach it', async () => {
  const started = start(['--upstream', 'http://127.0.0.1:9/mcp', '--port', '0', '--host', '0.0.0.0']);
  await listening(started);
  await expect.poll(started.said).toContain('can be reached from other machines');
});

test('--mode forward leads clients to the server they name, and performs the plan', async () => {
  const server = await bank();
  const plan = join(folder(), 'plan.yaml');
  writeFileSync(plan, 'rules:\n  - { id: hollow, fault: empty-result, when: { tool: echo } }\n');
  const started = start(['--mode', 'forward', '--plan', plan, '--port', '0', '--json']);
  const url = await listening(started);
  expect(JSON.parse(started.printed())).toEqual({ kind: 'listening', url, port: Number(new URL(url).port) });
  const { hostname, port } = new URL(url);
  const answer = await new Promise<string>((resolve, reject) => {
    const out = request(
      { hostname, port, path: server.url, method: 'POST', headers: { 'content-type': 'application/json' } },
      (response) => {
        let body = '';
        response.on('data', (chunk) => (body += String(chunk))).on('end', () => resolve(body));
      },
    );
    out.once('error', reject).end(JSON.stringify(call(1, 'echo', { text: 'said' })));
  });
  expect(answer).toContain('"id":1');
  expect(answer).not.toContain('said');
  started.child.kill('SIGINT');
  expect(await started.exited).toBe(130);
  expect(started.said()).toContain('1 of 1 rule');
});

test.each([
  [['--mode', 'sideways'], '--mode "sideways" is unknown'],
  [[], '--upstream is missing'],
  [['--mode', 'forward', '--upstream', 'http://127.0.0.1:1/mcp'], '--upstream has no meaning with --mode forward'],
  [['--mode', 'forward', '--rewrite-host'], '--rewrite-host has no meaning with --mode forward'],
  [['--mode', 'forward', '--host', '0.0.0.0'], 'can be reached from other machines'],
])('refuses %j before anything starts', async (args, why) => {
  const started = start(args);
  expect(await started.exited).toBe(2);
  expect(started.said()).toContain(why);
});
