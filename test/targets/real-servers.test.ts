// Real servers of both SDK generations, over every transport: the dialler finds the era by itself, lists and calls.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import type { Connection } from '../../packages/toolquake/src/core/connection.js';
import { openConnection } from '../../packages/toolquake/src/targets/open-connection.js';
import type { TargetDefinition } from '../../packages/toolquake/src/targets/target.js';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { startLegacySse } from '../servers/http-legacy-sse.mjs';
import { startSdk1 } from '../servers/http-sdk1.mjs';

const EVERYTHING = fileURLToPath(new URL('../../node_modules/@modelcontextprotocol/server-everything/dist/index.js', import.meta.url));
const SDK2 = fileURLToPath(new URL('../servers/sdk2.mjs', import.meta.url));
// The machine that runs the tests may be busy; what is measured elsewhere is not waited for here.
const budgets = { detectMs: 20_000, helloMs: 20_000, listMs: 20_000, callMs: 20_000, tcpMs: 20_000 };

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function open(target: TargetDefinition): Promise<Connection> {
  const connection = await openConnection(target, { budgets });
  stops.push(() => connection.close());
  return connection;
}

const overUrl = (url: string, era: 'auto' | 'legacy' | 'modern' = 'auto'): TargetDefinition => ({ name: 'it', kind: 'url', url, era });
const overStdio = (command: readonly string[], era: 'auto' | 'legacy' | 'modern' = 'auto'): TargetDefinition => ({
  name: 'it',
  kind: 'command',
  command,
  era,
});

async function toolNames(connection: Connection): Promise<readonly unknown[]> {
  return (await connection.listAll('tools')).items.map((tool) => tool['name']);
}

const echoed = (connection: Connection): Promise<unknown> => connection.request('tools/call', { name: 'echo', arguments: { text: 'hi' } });
const saidHi = { kind: 'result', result: expect.objectContaining({ content: [{ type: 'text', text: 'hi' }] }) };
const stagesOf = (connection: Connection): readonly string[] => connection.stages.map(({ stage }) => stage);

test('a dual-era server of SDK v2 over HTTP is spoken to in the modern era', async () => {
  const server = await startDualEra();
  stops.push(() => server.stop());
  const connection = await open(overUrl(server.url));
  expect(connection).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28', transport: 'http', serverInfo: { name: 'dual-era' } });
  expect(await toolNames(connection)).toContain('echo');
  expect(await echoed(connection)).toEqual(saidHi);
  expect(stagesOf(connection)).toEqual(['tcp', 'request', 'hello', 'list', 'call']);
  expect(connection.notes).toEqual([]);
});

test('the same server answers a target that is declared to be legacy in the legacy era', async () => {
  const server = await startDualEra();
  stops.push(() => server.stop());
  const connection = await open(overUrl(server.url, 'legacy'));
  expect(connection).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25' });
  expect(await echoed(connection)).toEqual(saidHi);
});

test('a server of SDK v1 over HTTP is found to be legacy', async () => {
  const server = await startSdk1();
  stops.push(() => server.stop());
  const connection = await open(overUrl(server.url));
  expect(connection).toMatchObject({ era: 'legacy', protocolVersion: '2025-11-25', transport: 'http', serverInfo: { name: 'sdk1' } });
  expect(await echoed(connection)).toEqual(saidHi);
});

test('a server of 2024 over HTTP+SSE is found by its endpoint event, and flagged', async () => {
  const server = await startLegacySse();
  stops.push(() => server.stop());
  const connection = await open(overUrl(server.url));
  expect(connection).toMatchObject({ era: 'legacy', transport: 'http-sse' });
  expect(connection.notes).toMatchObject([{ reason: 'transport_deprecated' }]);
  expect(await toolNames(connection)).toContain('echo');
  expect(await echoed(connection)).toEqual(saidHi);
});

test('a server of SDK v2 over stdio is modern, found in a sibling process', async () => {
  const connection = await open(overStdio([process.execPath, SDK2]));
  expect(connection).toMatchObject({ era: 'modern', transport: 'stdio', serverInfo: { name: 'sdk2' } });
  expect(await toolNames(connection)).toEqual(['greet']);
  expect(stagesOf(connection)).toEqual(['detect', 'spawn', 'hello', 'list']);
});

test('server-everything over stdio is legacy, and its tools work', async () => {
  const connection = await open(overStdio([process.execPath, EVERYTHING, 'stdio']));
  expect(connection).toMatchObject({ era: 'legacy', transport: 'stdio' });
  expect(await toolNames(connection)).toContain('echo');
  const outcome = await connection.request('tools/call', { name: 'echo', arguments: { message: 'hi' } });
  expect(outcome).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: 'Echo: hi' }] } });
});

test('server-everything over HTTP keeps its session for every request, and is told goodbye', async () => {
  const port = await freePort();
  const child: ChildProcess = spawn(process.execPath, [EVERYTHING, 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  stops.push(async () => {
    child.kill();
    await once(child, 'exit');
  });
  await new Promise<void>((resolve) => child.stderr!.on('data', (text: Buffer) => /listening/.test(String(text)) && resolve()));
  const connection = await open(overUrl(`http://127.0.0.1:${port}/mcp`));
  expect(connection).toMatchObject({ era: 'legacy', transport: 'http' });
  expect(await toolNames(connection)).toContain('echo');
  const outcome = await connection.request('tools/call', { name: 'echo', arguments: { message: 'hi' } });
  expect(outcome).toMatchObject({ kind: 'result', result: { content: [{ type: 'text', text: 'Echo: hi' }] } });
});

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}
