/** A stream that a rule cut is resumed by both generations of clients, and everything about its events stays as it was. */
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StreamableHTTPServerTransport, type EventStore } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import * as faults from '@toolquake/sdk/faults';
import { afterEach, expect, test } from 'vitest';
import { open, proxied, rule, statesOf, type Proxied } from './harness.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** Keeps every event with its stream, and replays what came after one of them in the same stream. */
function eventStore(): EventStore {
  const events: { id: string; stream: string; message: JSONRPCMessage }[] = [];
  return {
    async storeEvent(stream, message) {
      const id = `event-${events.length}`;
      events.push({ id, stream, message });
      return id;
    },
    async replayEventsAfter(last, { send }) {
      const at = events.findIndex(({ id }) => id === last);
      const stream = events[at]?.stream ?? '';
      for (const event of events.slice(at + 1)) if (event.stream === stream) await send(event.id, event.message);
      return stream;
    },
  };
}

async function server(): Promise<{ url: string; resumed: string[] }> {
  const transports = new Map<string, StreamableHTTPServerTransport>();
  const resumed: string[] = [];
  const http = createServer((request, response) => {
    const last = request.headers['last-event-id'];
    if (typeof last === 'string') resumed.push(last);
    const known = transports.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return void known.handleRequest(request, response);
    const transport: StreamableHTTPServerTransport = new StreamableHTTPServerTransport({
      sessionIdGenerator: randomUUID,
      eventStore: eventStore(),
      retryInterval: 5,
      onsessioninitialized: (id) => void transports.set(id, transport),
    });
    const mcp = new McpServer({ name: 'resumable', version: '1' });
    mcp.registerTool('count', {}, async (extra) => {
      const progressToken = extra._meta?.progressToken;
      for (let progress = 1; progressToken !== undefined && progress <= 3; progress++)
        await extra.sendNotification({ method: 'notifications/progress', params: { progressToken, progress, total: 3 } });
      return { content: [{ type: 'text', text: 'counted' }] };
    });
    stops.push(() => mcp.close());
    void mcp.connect(transport as Parameters<McpServer['connect']>[0]).then(() => transport.handleRequest(request, response));
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, resumed };
}

const cut = rule(faults.streamCut, { when: { tool: ['count'] }, params: { heartbeats: 1, everyMs: 1 }, at: { first: 1 } });

async function stage(): Promise<Proxied & { resumed: string[] }> {
  const { url, resumed } = await server();
  const through = await proxied(url, [cut]);
  stops.push(() => through.proxy.stop());
  return { ...through, resumed };
}

test('sdk v1 resumes a stream that a rule cut, and gets its answer', async () => {
  const { url, resumed, journal } = await stage();
  const client = new Client1({ name: 'v1', version: '1' });
  await client.connect(new Transport1(new URL(url), { reconnectionOptions: RECONNECT }));
  stops.push(() => client.close());
  const progress: number[] = [];
  const result = await client.callTool({ name: 'count' }, undefined, {
    onprogress: (step) => progress.push(step.progress),
    timeout: 10_000,
  });
  expect(result.content).toEqual([{ type: 'text', text: 'counted' }]);
  expect(progress).toEqual([1, 2, 3]);
  expect(resumed.length).toBeGreaterThan(0);
  expect(statesOf(journal)).toEqual(['delivered']);
});

test('client v2 does so too', async () => {
  const { url, resumed, journal } = await stage();
  const client = new Client({ name: 'v2', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { reconnectionOptions: RECONNECT }));
  stops.push(() => client.close());
  const progress: number[] = [];
  const result = await client.callTool({ name: 'count' }, { onprogress: (step) => progress.push(step.progress), timeout: 10_000 });
  expect(result.content).toEqual([{ type: 'text', text: 'counted' }]);
  expect(progress).toEqual([1, 2, 3]);
  expect(resumed.length).toBeGreaterThan(0);
  expect(statesOf(journal)).toEqual(['delivered']);
});

const RECONNECT = { initialReconnectionDelay: 5, maxReconnectionDelay: 50, reconnectionDelayGrowFactor: 1, maxRetries: 5 };

test('ids, retry fields, priming events and comments of a resumed stream pass byte for byte', async () => {
  const stream =
    ': hello\n\nid: a-1\nretry: 5000\ndata:\n\nid:a-2\r\nevent: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/x"}\r\n\r\nid: 3\rretry: 7\rdata: {"jsonrpc":"2.0","id":99,"result":{}}\r\rdata: torn';
  const asked: unknown[] = [];
  const http = createServer((request, response) => {
    asked.push([request.method, request.headers['last-event-id'], request.headers['mcp-session-id']]);
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.end(stream);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stops.push(() => new Promise((resolve) => http.close(resolve)));
  const through = await proxied(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, [cut]);
  stops.push(() => through.proxy.stop());
  const response = await open(through.url, 'GET', undefined, { 'last-event-id': 'a-0;é', 'mcp-session-id': 's' });
  let body = '';
  for await (const chunk of response) body += String(chunk);
  expect(body).toBe(stream);
  expect(asked).toEqual([['GET', 'a-0;é', 's']]);
});
