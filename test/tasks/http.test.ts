/** What tells tasks apart over HTTP: headers, metadata, traces, sessions, or nothing at all. Real proxy, real server. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { JournalEntry, JsonObject } from '@toolquake/sdk/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { createDigest } from '../../packages/toolquake/src/reporters/journal-digest.js';
import type { Tasks } from '../../packages/toolquake/src/reporters/digest/task-book.js';
import { call, initialize, modernCall, open, post, proxied, type Proxied } from '../http/harness.js';
import { startBank } from '../servers/http-bank.mjs';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Bank = Awaited<ReturnType<typeof startBank>>;

async function proxy(change: { taskHeader?: string } = {}): Promise<Proxied & { readonly bank: Bank }> {
  const bank = await startBank();
  stops.push(() => bank.stop());
  const started = await proxied(bank.url, [], { observesAll: true, ...change });
  stops.push(() => started.proxy.stop());
  return { ...started, bank };
}

/** A proxy in front of a server that answers every request with what `resultFor` says. */
async function proxyTo(resultFor: (message: JsonObject, rawHeaders: readonly string[]) => JsonObject): Promise<Proxied> {
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      const message = JSON.parse(body) as JsonObject;
      const answer = { jsonrpc: '2.0', id: message['id'], result: resultFor(message, request.rawHeaders) };
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => server.close());
  const through = await proxied(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, [], { observesAll: true });
  stops.push(() => through.proxy.stop());
  return through;
}

function tasksOf({ journal }: Proxied): Tasks {
  const digest = createDigest();
  const start: JournalEntry = {
    v: 1,
    kind: 'start',
    atMs: 0,
    transport: 'http',
    seed: 0,
    rules: [],
    startedAt: '2026-01-01T00:00:00.000Z',
  };
  for (const entry of [start, ...journal]) digest.add(entry);
  return digest.result().tasks!;
}

const withMeta = (message: JsonObject, more: JsonObject): JsonObject => {
  const params = message['params'] as JsonObject;
  return { ...message, params: { ...params, _meta: { ...(params['_meta'] as JsonObject), ...more } } };
};

const found = ({ list }: Tasks): unknown => list.map(({ name, method, confidence, calls }) => [name, method, confidence, calls]);

test('a header, a key in the metadata and a member of baggage name the task', async () => {
  const through = await proxy();
  await post(through.url, modernCall(1, 'refund'), { 'X-Chaos-Task': 'a' });
  await post(through.url, withMeta(modernCall(2, 'refund'), { 'toolquake/task': 'a' }));
  await post(through.url, modernCall(3, 'refund'), { baggage: 'x=1,toolquake.task=b%20c;p' });
  await post(through.url, withMeta(modernCall(4, 'refund'), { baggage: 'toolquake.task=b%20c' }));
  const tasks = tasksOf(through);
  expect(found(tasks)).toEqual([
    ['a', 'id', 'high', 2],
    ['b c', 'id', 'high', 2],
  ]);
  expect(tasks.overall.measures).toMatchObject({ tcaf: 2, tcafWire: 2, retryAmplification: 1, blastRadius: 0 });
});

test('what names the task reaches the server untouched', async () => {
  const seen: (readonly string[])[] = [];
  const through = await proxyTo((_, headers) => {
    seen.push(headers);
    return { content: [] };
  });
  await post(through.url, modernCall(1, 'refund'), { 'X-Chaos-Task': ' a ', baggage: 'x=1,toolquake.task=b' });
  expect(seen[0]).toEqual(expect.arrayContaining(['X-Chaos-Task', 'baggage', 'x=1,toolquake.task=b']));
  expect(found(tasksOf(through))).toEqual([['a', 'id', 'high', 1]]);
});

test('the header that the plan names is the one that counts', async () => {
  const through = await proxy({ taskHeader: 'X-Job' });
  await post(through.url, modernCall(1, 'refund'), { 'X-Job': 'a', 'X-Chaos-Task': 'b' });
  expect(found(tasksOf(through))).toEqual([['a', 'id', 'high', 1]]);
});

test('a trace is a task', async () => {
  const through = await proxy();
  const traces = ['4bf92f3577b34da6a3ce929d0e0e4736', 'ffffffffffffffffffffffffffffffff'];
  for (const [index, trace] of [...traces, ...traces].entries()) {
    await post(through.url, withMeta(modernCall(index, 'refund'), { traceparent: `00-${trace}-00f067aa0ba902b${index}-01` }));
  }
  const { list } = tasksOf(through);
  expect(list.map(({ name, method, confidence, calls }) => [name, method, confidence, calls])).toEqual(
    traces.map((trace) => [trace, 'trace', 'high', 2]),
  );
});

test('a legacy session is a task, with less confidence', async () => {
  const through = await proxy();
  for (const id of [1, 2]) {
    const { headers } = await post(through.url, initialize());
    await post(through.url, call(id, 'refund'), { 'mcp-session-id': String(headers['mcp-session-id']) });
  }
  expect(found(tasksOf(through))).toEqual([
    ['agent#1', 'session', 'medium', 1],
    ['agent#2', 'session', 'medium', 1],
  ]);
});

test('without any boundary nothing is claimed about tasks, and calls are measured all the same', async () => {
  const through = await proxy();
  await post(through.url, modernCall(1, 'refund'));
  await post(through.url, withMeta(modernCall(2, 'refund'), { traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }));
  const tasks = tasksOf(through);
  expect(tasks).toMatchObject({ count: 0, unassigned: 2, list: [] });
  expect(tasks.overall.measures).toMatchObject({ availability: 1, tcaf: undefined, tcafWire: undefined, blastRadius: undefined });
});

test('one call without a task makes every total per task unknown', async () => {
  const through = await proxy();
  await post(through.url, modernCall(1, 'refund'), { 'X-Chaos-Task': 'a' });
  await post(through.url, modernCall(2, 'refund'));
  const tasks = tasksOf(through);
  expect(tasks).toMatchObject({ count: 1, unassigned: 1 });
  expect(tasks.overall.measures).toMatchObject({ tcaf: undefined, blastRadius: undefined });
  expect(tasks.list[0]?.measures).toMatchObject({ tcaf: 1, blastRadius: 0 });
});

describe('output schemas', () => {
  const listing: JsonObject = {
    tools: [
      {
        name: 'balance',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] },
      },
      { name: 'free', inputSchema: { type: 'object' } },
    ],
  };
  const answer = ({ method, params }: JsonObject): JsonObject =>
    method === 'tools/list' ? listing : { content: [], structuredContent: (params as JsonObject)['arguments'] };
  const list: JsonObject = { ...modernCall(1, ''), method: 'tools/list' };

  test('that a server listed are what its results are judged by', async () => {
    const through = await proxyTo(answer);
    await post(through.url, list);
    await post(through.url, modernCall(2, 'balance', { n: 1 }));
    await post(through.url, modernCall(3, 'balance', { n: 'one' }));
    await post(through.url, modernCall(4, 'free', { n: 'one' }));
    expect(through.journal.flatMap((entry) => (entry.kind === 'call' ? [entry.isConformant] : []))).toEqual([true, false, undefined]);
    const { measures } = tasksOf(through).overall;
    expect(measures).toMatchObject({ scr: 0.5, availability: 1, correctness: 2 / 3 });
  });

  test('that nobody listed leave conformance unknown', async () => {
    const through = await proxyTo(answer);
    await post(through.url, modernCall(2, 'balance', { n: 'one' }));
    expect(tasksOf(through).overall.measures).toMatchObject({ scr: undefined, scrCompat: undefined, correctness: 1 });
  });
});

test("a client's timeout is the deadline of its calls of that tool", async () => {
  const through = await proxy();
  const { headers } = await post(through.url, initialize());
  const session = { 'mcp-session-id': String(headers['mcp-session-id']) };
  await post(through.url, call(1, 'refund'), session);
  const waiting = open(through.url, 'POST', JSON.stringify(call(2, 'echo', { text: 'x', wait: true })), session).catch(() => undefined);
  await vi.waitFor(() => expect(through.bank.waiting).toBe(1));
  const reason = 'McpError: MCP error -32001: Request timed out';
  await post(through.url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2, reason } }, session);
  const cancelled = through.journal.find((entry) => entry.kind === 'call' && entry.outcome === 'cancelled');
  expect(cancelled).toMatchObject({ isTimedOut: true });
  expect(JSON.stringify(through.journal)).not.toContain('McpError');
  const tasks = tasksOf(through);
  const { latencyMs } = cancelled as { latencyMs: number };
  expect(tasks.deadlines).toEqual([
    { source: 'client', calls: 1, lowMs: latencyMs, highMs: latencyMs },
    { source: 'default', calls: 1, lowMs: 60_000, highMs: 60_000 },
  ]);
  expect(tasks.overall.measures).toMatchObject({ deadlineAdherence: 0.5, tcsr: 0.5 });
  through.bank.release();
  await waiting;
});
