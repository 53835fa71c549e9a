/** Clients and servers of both SDK generations, over transports that a run intercepts. */
import { Client as ClientOfToday, InMemoryTransport as PairOfToday, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport as StdioOfToday } from '@modelcontextprotocol/client/stdio';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as FirstStdio } from '@modelcontextprotocol/sdk/client/stdio.js';
import { InMemoryTransport as FirstPair } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { McpServer as ServerOfToday } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { startPlan, type Run } from '@toolquake/sdk/controller';
import type { Era, JsonObject } from '@toolquake/sdk/core';
import { interceptTransport, type McpTransport } from '@toolquake/sdk/interceptors';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { serverCommand } from '../stdio/harness.js';

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const info = { name: 'tester', version: '1.0.0' };
const AUTO = { versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs: 20_000 } } };

/** What the clients of both generations have in common. */
type AnyClient = {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  close(): Promise<void>;
};
/** A client that is connected over an intercepted transport, and how often the server did the work, where that is known. */
type World = { readonly client: AnyClient; readonly done: () => number | undefined };
type Intercept = <Given extends McpTransport>(transport: Given, side?: 'client' | 'server') => Given;

const text = (said: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text: said }] });

async function memoryOfFirst(intercept: Intercept, side: 'client' | 'server'): Promise<World> {
  let done = 0;
  const server = new FirstServer({ name: 'one', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text: said }) => (done++, text(said)));
  const [mine, theirs] = FirstPair.createLinkedPair();
  await server.connect(side === 'server' ? intercept(theirs, side) : theirs);
  const client = new FirstClient(info);
  await client.connect(side === 'client' ? intercept(mine) : mine);
  return { client, done: () => done };
}

async function memoryOfToday(intercept: Intercept, side: 'client' | 'server', era: Era): Promise<World> {
  let done = 0;
  const build = (): ServerOfToday => {
    const server = new ServerOfToday({ name: 'two', version: '1.0.0' });
    server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text: said }) => (done++, text(said)));
    return server;
  };
  const [mine, theirs] = PairOfToday.createLinkedPair();
  const served = side === 'server' ? intercept(theirs, side) : theirs;
  if (era === 'legacy') await build().connect(served);
  else serveStdio(build, { transport: served });
  const client = new ClientOfToday(info, era === 'legacy' ? {} : AUTO);
  await client.connect(side === 'client' ? intercept(mine) : mine);
  expect(client.getProtocolEra()).toBe(era);
  return { client, done: () => done };
}

async function http(intercept: Intercept, era: Era): Promise<World> {
  const server = await startDualEra();
  closing.push(() => server.stop());
  const client = new ClientOfToday(info, era === 'legacy' ? {} : AUTO);
  await client.connect(intercept(new StreamableHTTPClientTransport(new URL(server.url))));
  expect(client.getProtocolEra()).toBe(era);
  return { client, done: () => undefined };
}

async function stdio(intercept: Intercept, generation: 1 | 2): Promise<World> {
  const [command = '', ...args] = serverCommand('bank');
  const client = generation === 1 ? new FirstClient(info) : new ClientOfToday(info);
  if (generation === 1) await (client as FirstClient).connect(intercept(new FirstStdio({ command, args, stderr: 'ignore' })));
  else await (client as ClientOfToday).connect(intercept(new StdioOfToday({ command, args, stderr: 'ignore' })));
  return { client, done: () => undefined };
}

const worlds: Record<string, (intercept: Intercept) => Promise<World>> = {
  'sdk 1 in memory, client': (intercept) => memoryOfFirst(intercept, 'client'),
  'sdk 1 in memory, server': (intercept) => memoryOfFirst(intercept, 'server'),
  'sdk 2 in memory, client': (intercept) => memoryOfToday(intercept, 'client', 'legacy'),
  'sdk 2 in memory, server': (intercept) => memoryOfToday(intercept, 'server', 'legacy'),
  'sdk 2 in memory, modern, client': (intercept) => memoryOfToday(intercept, 'client', 'modern'),
  'sdk 2 in memory, modern, server': (intercept) => memoryOfToday(intercept, 'server', 'modern'),
  'sdk 1 over stdio': (intercept) => stdio(intercept, 1),
  'sdk 2 over stdio': (intercept) => stdio(intercept, 2),
  'sdk 2 over HTTP': (intercept) => http(intercept, 'legacy'),
  'sdk 2 over HTTP, modern': (intercept) => http(intercept, 'modern'),
};

function start(rules: readonly JsonObject[] = []): { run: Run; intercept: Intercept } {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true, observesAll: true });
  closing.push(() => run.stop());
  const intercept: Intercept = (transport, side) =>
    interceptTransport(run, transport, { target: 'bank', ...(side === undefined ? {} : { side }) }).transport;
  return { run, intercept };
}

const ECHO = { name: 'echo', arguments: { text: 'grüße ✓' } };
const outcomes = (run: Run): string[] => run.journal.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []));

describe.each(Object.entries(worlds))('%s', (_name, connect) => {
  async function open(rules: readonly JsonObject[] = []): Promise<World & { run: Run }> {
    const { run, intercept } = start(rules);
    const world = await connect(intercept);
    closing.push(() => world.client.close());
    return { ...world, run };
  }

  test('works as without us while no rule looks, and the journal knows the session', async () => {
    const { client, run } = await open();
    expect(await client.callTool(ECHO)).toMatchObject(text('grüße ✓'));
    expect(run.journal).toContainEqual(expect.objectContaining({ kind: 'call', tool: 'echo', outcome: 'ok' }));
    expect(run.journal).toContainEqual(expect.objectContaining({ session: 'tester@bank#1' }));
  });

  test('a rule of one test comes and goes', async () => {
    const { client, run } = await open();
    run.use({ id: 'no', fault: 'tool-error' });
    expect(await client.callTool(ECHO)).toMatchObject({ isError: true });
    run.restore();
    expect(await client.callTool(ECHO)).toMatchObject(text('grüße ✓'));
    expect(run.fired('no')).toBe(1);
  });

  test('an error is the protocol error that the client knows', async () => {
    const { client } = await open([{ fault: 'error-response', params: { code: -32603 } }]);
    await expect(client.callTool(ECHO)).rejects.toMatchObject({ code: -32603 });
  });

  test('a lost answer leaves the server with the work done and the caller with none, until the run stops', async () => {
    const { client, run, done } = await open([{ id: 'lost', fault: 'lost-ack' }]);
    const call = client.callTool(ECHO);
    await expect.poll(() => run.fired('lost')).toBe(1);
    const count = done();
    if (count !== undefined) expect(count).toBe(1);
    run.stop();
    expect(await call).toMatchObject(text('grüße ✓'));
  });

  test('a delayed call delays no other', async () => {
    const { client, run } = await open([{ id: 'slow', fault: 'hang', at: { first: 1 } }]);
    const slow = client.callTool(ECHO);
    await expect.poll(() => run.fired('slow')).toBe(1);
    expect(await client.callTool(ECHO)).toMatchObject(text('grüße ✓'));
    run.kill();
    expect(await slow).toMatchObject(text('grüße ✓'));
  });

  test('a dropped connection closes the client and every call in it', async () => {
    const { client, run } = await open([{ id: 'drop', fault: 'connection-drop', params: { how: 'end' } }]);
    let isClosed = false;
    Object.assign(client, { onclose: () => (isClosed = true) });
    await expect(client.callTool(ECHO)).rejects.toThrow(/closed/i);
    await expect.poll(() => isClosed).toBe(true);
    await expect.poll(() => outcomes(run)).toEqual(['disconnected']);
    await expect(client.callTool(ECHO)).rejects.toThrow(/not connected/i);
  });

  test('a data fault edits what the client sees', async () => {
    const { client, run } = await open([{ id: 'none', fault: 'empty-result' }]);
    expect(await client.callTool(ECHO)).toMatchObject({ content: [] });
    expect(run.fired('none')).toBe(1);
  });

  test('after restore everything passes straight through', async () => {
    const { run } = start();
    let restore: () => void = () => {};
    const world = await connect((transport, side) => {
      const intercepted = interceptTransport(run, transport, side === undefined ? {} : { side });
      restore = intercepted.restore;
      return intercepted.transport;
    });
    closing.push(() => world.client.close());
    restore();
    run.use({ fault: 'tool-error' });
    expect(await world.client.callTool(ECHO)).toMatchObject(text('grüße ✓'));
  });
});

test('a modern call over HTTP that is given up aborts its request, and a late answer finds nobody', async () => {
  const { run, intercept } = start([{ id: 'hang', fault: 'hang' }]);
  const server = await startDualEra();
  closing.push(() => server.stop());
  const client = new ClientOfToday(info, AUTO);
  const transport = intercept(new StreamableHTTPClientTransport(new URL(server.url)));
  expect(transport.hasPerRequestStream).toBe(true);
  expect(transport).toBeInstanceOf(StreamableHTTPClientTransport);
  await client.connect(transport);
  closing.push(() => client.close());
  const giveUp = new AbortController();
  const call = client.callTool(ECHO, { signal: giveUp.signal });
  const asserted = expect(call).rejects.toThrow();
  await expect.poll(() => run.fired('hang')).toBe(1);
  giveUp.abort();
  await asserted;
  await expect.poll(() => outcomes(run)).toEqual(['cancelled']);
});

test('a ping is answered while a call is held, and a cancel ends the hold', async () => {
  const { run, intercept } = start([{ id: 'late', fault: 'late-after-cancel' }]);
  const { client } = await memoryOfFirst(intercept, 'client');
  const giveUp = new AbortController();
  const call = (client as FirstClient).callTool(ECHO, undefined, { signal: giveUp.signal });
  const asserted = expect(call).rejects.toThrow();
  await (client as FirstClient).ping();
  giveUp.abort();
  await asserted;
  await expect.poll(() => run.fired('late')).toBe(1);
  expect(outcomes(run)).toEqual(['cancelled']);
  await client.close();
});
