/** Servers of both SDK generations on every transport, observed by signals, each with an official client in front. */
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { randomUUID } from 'node:crypto';
import { Client as ClientOfToday, InMemoryTransport as PairOfToday, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstHttp } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { InMemoryTransport as FirstPair } from '@modelcontextprotocol/sdk/inMemory.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport as FirstServed } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer as ServerOfToday } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Signals } from '@toolquake/sdk/signals';
import { z } from 'zod';

/** What the clients of both generations have in common. */
export type AnyClient = {
  callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>;
  listTools(): Promise<{ tools: { name: string }[] }>;
  close(): Promise<void>;
};

/** A client that is connected to an observed server. */
export type World = { readonly client: AnyClient; stop(): Promise<void> };

const info = { name: 'tester', version: '1.0.0' };
const AUTO = { versionNegotiation: { mode: 'auto' as const, probe: { timeoutMs: 20_000 } } };
const said = (text: string): { content: { type: 'text'; text: string }[] } => ({ content: [{ type: 'text', text }] });

function first(): FirstServer {
  const server = new FirstServer({ name: 'one', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { text: z.string() } }, ({ text }) => said(text));
  server.registerTool('fails', {}, () => ({ ...said('no stock'), isError: true }));
  return server;
}

function ofToday(): ServerOfToday {
  const server = new ServerOfToday({ name: 'two', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ text: z.string() }) }, async ({ text }) => said(text));
  server.registerTool('fails', {}, async () => ({ ...said('no stock'), isError: true }));
  return server;
}

async function listen(server: HttpServer): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

const gone = (server: HttpServer): Promise<void> => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
};

async function memoryOfFirst(signals: Signals): Promise<World> {
  const [mine, theirs] = FirstPair.createLinkedPair();
  await signals.observe(first()).connect(theirs);
  const client = new FirstClient(info);
  await client.connect(mine);
  return { client, stop: () => client.close() };
}

async function memoryOfToday(signals: Signals): Promise<World> {
  const [mine, theirs] = PairOfToday.createLinkedPair();
  await signals.observe(ofToday()).connect(theirs);
  const client = new ClientOfToday(info);
  await client.connect(mine);
  return { client, stop: () => client.close() };
}

async function modernPipe(signals: Signals): Promise<World> {
  const [mine, theirs] = PairOfToday.createLinkedPair();
  serveStdio(() => signals.observe(ofToday()), { transport: theirs });
  const client = new ClientOfToday(info, AUTO);
  await client.connect(mine);
  return { client, stop: () => client.close() };
}

async function sessionsOfFirst(signals: Signals): Promise<World> {
  const sessions = new Map<string, FirstServed>();
  const served = createServer(async (request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return known.handleRequest(request, response);
    const transport = new FirstServed({ sessionIdGenerator: randomUUID, onsessioninitialized: (id) => void sessions.set(id, transport) });
    // The SDK's own class declares its callbacks in a way that its own interface refuses under exact optional types.
    await signals.observe(first()).connect(transport as Parameters<FirstServer['connect']>[0]);
    await transport.handleRequest(request, response);
  });
  const url = new URL(await listen(served));
  const transport = new FirstHttp(url);
  const client = new FirstClient(info);
  await client.connect(transport as Parameters<FirstClient['connect']>[0]);
  return {
    client,
    async stop() {
      await transport.terminateSession();
      await client.close();
      await gone(served);
    },
  };
}

async function handlerOfToday(signals: Signals, options: object): Promise<World> {
  const served = createServer(toNodeHandler(createMcpHandler(() => signals.observe(ofToday()))));
  const url = new URL(await listen(served));
  const client = new ClientOfToday(info, options);
  await client.connect(new StreamableHTTPClientTransport(url));
  return {
    client,
    async stop() {
      await client.close();
      await gone(served);
    },
  };
}

/** Every way in which the SDKs serve. `sessions`: what of it is a session. */
export const worlds = [
  { name: 'v1 in memory', open: memoryOfFirst, version: '2025-11-25', network: undefined, sessions: 1 },
  { name: 'v2 in memory', open: memoryOfToday, version: '2025-11-25', network: undefined, sessions: 1 },
  { name: 'v2 serveStdio, modern', open: modernPipe, version: '2026-07-28', network: 'pipe', sessions: 0 },
  { name: 'v1 over HTTP with sessions', open: sessionsOfFirst, version: '2025-11-25', network: 'tcp', sessions: 1 },
  {
    name: 'v2 handler over HTTP, legacy without sessions',
    open: (signals: Signals) => handlerOfToday(signals, {}),
    version: '2025-11-25',
    network: 'tcp',
    sessions: 0,
  },
  {
    name: 'v2 handler over HTTP, modern',
    open: (signals: Signals) => handlerOfToday(signals, AUTO),
    version: '2026-07-28',
    network: 'tcp',
    sessions: 0,
  },
] as const;
