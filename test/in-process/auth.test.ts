/** The auth gate in real servers of Express, Fastify, Hono and plain Node, over real sockets. */
import { createServer, request as startRequest, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { Client as FirstClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as FirstTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer as FirstServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { startPlan, type Run } from '@toolquake/sdk/controller';
import {
  interceptAuth,
  interceptFastifyAuth,
  interceptHonoAuth,
  interceptNodeAuth,
  type InterceptAuthOptions,
} from '@toolquake/sdk/interceptors';
import express from 'express';
import { fastify } from 'fastify';
import { Hono } from 'hono';
import { afterEach, describe, expect, test } from 'vitest';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource';
const OUT = `Bearer error="invalid_token", error_description="The access token is missing or not valid", resource_metadata="${METADATA}"`;
const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const start = (...rules: readonly object[]): Run => {
  const run = startPlan({ seed: 42, rules: [...rules] }, { isAllowed: () => true });
  closing.push(run.stop);
  return run;
};

const listening = async (server: Server): Promise<string> => {
  if (!server.listening) await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};

const mcp = createMcpHandler(() => {
  const server = new McpServer({ name: 'bank', version: '1.0.0' });
  server.registerTool('pay', {}, () => ({ content: [{ type: 'text', text: 'paid' }] }));
  server.registerTool('look', {}, () => ({ content: [{ type: 'text', text: 'seen' }] }));
  return server;
});
const toMcp = toNodeHandler(mcp);

/** Each serves `/mcp` (that MCP server) and `/echo` (the body as it came), behind a gate per options. */
const hosts: Record<string, (run: Run, gates: readonly InterceptAuthOptions[]) => Promise<string>> = {
  'plain node:http': (run, gates) => {
    const handles = gates.map((options) => interceptNodeAuth(run, options).handle);
    return listening(
      createServer((request, response) => {
        const goOn = (index: number): void =>
          index < handles.length
            ? handles[index]!(request, response, () => goOn(index + 1))
            : void (request.url?.startsWith('/mcp') === true
                ? toMcp(request, response)
                : textOf(request).then((text) => response.end(text)));
        goOn(0);
      }),
    );
  },
  'Express, before the body parser': (run, gates) => {
    const app = express();
    for (const options of gates) app.use(interceptNodeAuth(run, options).handle);
    app.post('/mcp', (request, response) => void toMcp(request, response));
    app.all('/echo', express.json(), (request, response) => void response.send(JSON.stringify(request.body)));
    return listening(createServer(app));
  },
  'Express, after the body parser': (run, gates) => {
    const app = express();
    app.use(express.json());
    for (const options of gates) app.use(interceptNodeAuth(run, options).handle);
    app.post('/mcp', (request, response) => void toMcp(request, response, request.body));
    app.all('/echo', (request, response) => void response.send(JSON.stringify(request.body)));
    return listening(createServer(app));
  },
  'Fastify, once the body is parsed': (run, gates) => onFastify(run, gates, 'preHandler'),
  'Fastify, before the body is read': (run, gates) => onFastify(run, gates, 'onRequest'),
  'Hono on Node': (run, gates) => {
    const app = new Hono();
    for (const options of gates) app.use(interceptHonoAuth(run, { ...options, isOnNode: true }).handle);
    app.all('/mcp', (context) => mcp.fetch(context.req.raw));
    app.all('/echo', async (context) => context.text(await context.req.text()));
    return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
  'Hono on Node, after somebody read the body': (run, gates) => {
    const app = new Hono();
    app.use(async (context, next) => {
      if (context.req.method === 'POST') await context.req.text();
      await next();
    });
    for (const options of gates) app.use(interceptHonoAuth(run, { ...options, isOnNode: true }).handle);
    app.all('/mcp', async (context) => {
      const { url, method, raw } = context.req;
      return mcp.fetch(
        new Request(url, { method, headers: raw.headers, ...(method === 'POST' ? { body: await context.req.text() } : {}) }),
      );
    });
    app.all('/echo', async (context) => context.text(await context.req.text()));
    return listening(serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }) as Server);
  },
};

async function onFastify(run: Run, gates: readonly InterceptAuthOptions[], hook: 'onRequest' | 'preHandler'): Promise<string> {
  const app = fastify();
  for (const options of gates) app.addHook(hook, interceptFastifyAuth(run, options).handle);
  app.all('/mcp', (request, reply) => {
    reply.hijack();
    return toMcp(request.raw, reply.raw, request.body);
  });
  app.all('/echo', (request, reply) => reply.send(JSON.stringify(request.body ?? '')));
  closing.push(() => app.close());
  return app.listen({ port: 0, host: '127.0.0.1' });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const chunk of request) parts.push(chunk as Buffer);
  return Buffer.concat(parts).toString();
}

const call = (tool: string): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', authorization: 'Bearer t' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 'a', method: 'tools/call', params: { name: tool, arguments: {} } }),
});

describe.each(Object.entries(hosts))('a gate on %s', (_name, open) => {
  test('answers 401 and 403 with their challenges, for tools and for routes, each target for itself', async () => {
    const run = start(
      { id: 'token', fault: 'unauthorized', when: { target: 'oauth-token', tool: 'pay' } },
      { id: 'scope', fault: 'insufficient-scope', when: { target: 'api-key', tool: 'look' }, params: { scope: 'accounts:read' } },
      { id: 'route', fault: 'http-status', when: { target: 'api-key', tool: 'GET /echo' }, params: { status: 401 } },
    );
    const url = await open(run, [
      { target: 'oauth-token', resourceMetadata: METADATA },
      { target: 'api-key', resourceMetadata: METADATA },
    ]);
    const ask = async (path: string, init?: RequestInit): Promise<unknown> => {
      const response = await fetch(`${url}${path}`, init);
      await response.arrayBuffer();
      return [response.status, response.headers.get('www-authenticate')];
    };
    expect(await ask('/mcp', call('pay'))).toEqual([401, OUT]);
    expect(await ask('/mcp', call('look'))).toEqual([403, expect.stringContaining('scope="accounts:read"') as unknown]);
    expect(await ask('/echo?q=1')).toEqual([401, `Bearer resource_metadata="${METADATA}"`]);
    expect([run.fired('token'), run.fired('scope'), run.fired('route')]).toEqual([1, 1, 1]);
  });

  test('leaves the body to the server behind, whatever its size and pieces', async () => {
    const run = start({ fault: 'unauthorized', when: { tool: 'nothing' } });
    const url = await open(run, [{ target: 'a' }, { target: 'b', maxFrameBytes: 1000 }]);
    for (const length of [0, 10, 5000, 90_000]) {
      const body = JSON.stringify({ text: 'ü'.repeat(length / 2) });
      const response = await fetch(`${url}/echo`, { ...call('x'), body });
      expect(await response.text()).toBe(body);
      expect(await sendInPieces(`${url}/echo`, body)).toBe(body);
    }
    const client = new Client({ name: 'agent', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    closing.push(() => client.close());
    expect(await client.callTool({ name: 'pay' })).toMatchObject({ content: [{ text: 'paid' }] });
  });

  test('holds, breaks and lies, and is gone once the run stops', async () => {
    const run = start();
    const url = await open(run, [{ target: 'bank' }]);
    for (const how of ['reset', 'end']) {
      const drop = run.use({ id: how, fault: 'connection-drop', params: { how } });
      await expect(fetch(`${url}/mcp`, call('pay'))).rejects.toMatchObject({ message: 'fetch failed' });
      expect(run.fired(how)).toBe(1);
      drop();
    }
    const lie = run.use({ fault: 'auth-as-data', params: { isError: true } });
    const told = await fetch(`${url}/mcp`, call('pay'));
    expect(await told.json()).toMatchObject({ id: 'a', result: { isError: true } });
    lie();
    run.use({ id: 'hang', fault: 'hang' });
    const giveUp = new AbortController();
    const hung = fetch(`${url}/mcp`, { ...call('pay'), signal: giveUp.signal });
    await fired(run, 'hang', 1);
    giveUp.abort();
    await expect(hung).rejects.toThrow('aborted');
    const other = fetch(`${url}/echo`, call('x'));
    await fired(run, 'hang', 2);
    run.stop();
    expect((await other).status).toBe(200);
    expect((await fetch(`${url}/echo`, call('x'))).status).toBe(200);
  });
});

test('a legacy client of sdk 1 finds its session closed in the middle, stream and all', async () => {
  const run = start();
  const app = express();
  app.use(express.json());
  const gate = interceptNodeAuth(run, { target: 'bank', resourceMetadata: METADATA });
  app.use(gate.handle);
  const server = new FirstServer({ name: 'bank', version: '1.0.0' });
  server.registerTool('pay', {}, () => ({ content: [{ type: 'text', text: 'paid' }] }));
  const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: () => 'random-id' });
  await server.connect(transport as unknown as Parameters<FirstServer['connect']>[0]);
  app.all('/mcp', (request, response) => void transport.handleRequest(request, response, request.body));
  const url = await listening(createServer(app));
  const client = new FirstClient({ name: 'agent', version: '1.0.0' });
  await client.connect(new FirstTransport(new URL(`${url}/mcp`)) as unknown as Parameters<FirstClient['connect']>[0]);
  closing.push(() => client.close());
  expect(await client.callTool({ name: 'pay' })).toMatchObject({ content: [{ text: 'paid' }] });
  run.use({ id: 'expired', fault: 'token-expire', at: { first: 1 } });
  await expect(client.callTool({ name: 'pay' })).rejects.toThrow(/401|expired|Unauthorized/i);
  const headers = { 'mcp-session-id': 'random-id', accept: 'text/event-stream', authorization: 'Bearer old' };
  const stream = await fetch(`${url}/mcp`, { headers });
  expect([stream.status, stream.headers.get('www-authenticate')]).toEqual([401, expect.stringContaining('expired') as unknown]);
  expect((await fetch(`${url}/mcp`, { method: 'DELETE', headers })).status).toBe(401);
  expect(run.journal.find(({ kind }) => kind === 'fault')).toMatchObject({ session: 'agent@bank#1', state: 'delivered' });
  gate.restore();
  expect(await client.callTool({ name: 'pay' })).toMatchObject({ content: [{ text: 'paid' }] });
});

test('a web handler behind a gate never sees a call that was turned away', async () => {
  const run = start({ id: 'out', fault: 'unauthorized', at: { first: 1 } });
  const gate = interceptAuth(run, { target: 'bank' });
  const client = new Client({ name: 'agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const through = (input: string | URL | Request, init?: RequestInit): Promise<Response> =>
    gate.handle(new Request(input, init), mcp.fetch);
  await client.connect(new StreamableHTTPClientTransport(new URL('http://bank.example/mcp'), { fetch: through }));
  closing.push(() => client.close());
  expect(client.getNegotiatedProtocolVersion()).toBe('2026-07-28');
  await expect(client.callTool({ name: 'pay' })).rejects.toThrow();
  expect(await client.callTool({ name: 'pay' })).toMatchObject({ content: [{ text: 'paid' }] });
  expect(run.journal.find(({ kind }) => kind === 'fault')).toMatchObject({ session: 'agent@bank#1' });
});

/** Waits for a delivery. */
async function fired(run: Run, id: string, times: number): Promise<void> {
  if (run.fired(id) >= times) return;
  await new Promise<void>((resolve) => {
    const stop = run.listen(() => {
      if (run.fired(id) < times) return;
      stop();
      resolve();
    });
  });
}

/** One byte first, then the rest, without a length. */
function sendInPieces(url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const bytes = Buffer.from(body);
    const sending = startRequest(url, { method: 'POST', headers: { 'content-type': 'application/json' } }, (response) =>
      textOf(response).then(resolve, reject),
    );
    sending.on('error', reject);
    sending.write(bytes.subarray(0, 1), () => sending.end(bytes.subarray(1)));
  });
}
