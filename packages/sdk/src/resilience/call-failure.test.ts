/** What the official clients really throw, thrown by them: sdk 1.32.2 and client 2.4.0, over HTTP and stdio. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport as StdioV1 } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport as HttpV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { classifyError } from './call-failure.js';

const closing: (() => Promise<unknown> | void)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

type Answer = (response: ServerResponse, id: unknown) => void;
const rpc =
  (body: object): Answer =>
  (response, id) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...body }));
const status =
  (code: number): Answer =>
  (response) =>
    void response.writeHead(code, { 'content-type': 'text/plain', 'retry-after': '3' }).end('sorry');

/** A legacy server of three methods; what it does with a tool call is up to the test. */
async function serve(onCall: Answer): Promise<URL> {
  const http = createServer((request, response) => {
    let text = '';
    request.on('data', (chunk: Buffer) => (text += chunk.toString()));
    request.on('end', () => {
      if (request.method !== 'POST') return void response.writeHead(405).end();
      const { id, method } = JSON.parse(text) as { id?: unknown; method: string };
      if (id === undefined) return void response.writeHead(202).end();
      const hello = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'till', version: '1' } };
      const tool = {
        name: 'pay',
        inputSchema: { type: 'object' },
        outputSchema: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
      };
      if (method === 'initialize') return rpc({ result: hello })(response, id);
      if (method === 'tools/list') return rpc({ result: { tools: [tool] } })(response, id);
      return onCall(response, id);
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  closing.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

type Caller = {
  readonly pay: (options?: { timeout?: number; signal?: AbortSignal }) => Promise<unknown>;
  readonly list: () => Promise<unknown>;
  readonly close: () => Promise<void>;
};

async function connectV1(transport: HttpV1 | StdioV1): Promise<Caller> {
  const client = new ClientV1({ name: 'agent', version: '1' });
  await client.connect(transport as Parameters<typeof client.connect>[0]);
  closing.push(() => client.close());
  return {
    pay: (options) => client.callTool({ name: 'pay' }, undefined, options),
    list: () => client.listTools(),
    close: () => client.close(),
  };
}

async function connectV2(transport: StreamableHTTPClientTransport | StdioClientTransport): Promise<Caller> {
  const client = new Client({ name: 'agent', version: '1' });
  await client.connect(transport);
  closing.push(() => client.close());
  return { pay: (options) => client.callTool({ name: 'pay' }, options), list: () => client.listTools(), close: () => client.close() };
}

/** A server over stdio that dies when a tool is called. */
const DYING = `
process.stdin.setEncoding('utf8');
let text = '';
process.stdin.on('data', (chunk) => {
  text += chunk;
  for (let end = text.indexOf('\\n'); end !== -1; end = text.indexOf('\\n')) {
    const { id, method } = JSON.parse(text.slice(0, end));
    text = text.slice(end + 1);
    if (method === 'tools/call') process.exit(1);
    const result = { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'till', version: '1' } };
    if (id !== undefined) console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }
});`;

const clients = {
  'sdk 1.32.2': {
    http: (url: URL) => connectV1(new HttpV1(url)),
    stdio: () => connectV1(new StdioV1({ command: process.execPath, args: ['-e', DYING] })),
  },
  'client 2.4.0': {
    http: (url: URL) => connectV2(new StreamableHTTPClientTransport(url)),
    stdio: () => connectV2(new StdioClientTransport({ command: process.execPath, args: ['-e', DYING] })),
  },
} as const;

const failed = async (work: Promise<unknown>): Promise<unknown> => {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(error, 'it was meant to fail').toBeDefined();
  const { kind, executed, isTransient } = classifyError(error);
  return [kind, executed, isTransient];
};

describe.each(Object.entries(clients))('%s', (_, { http, stdio }) => {
  test.each([
    [404, ['http-error', 'no', false]],
    [429, ['http-error', 'no', true]],
    [500, ['http-error', 'maybe', true]],
    [503, ['http-error', 'maybe-later', true]],
    [403, ['http-error', 'no', false]],
    [401, ['http-error', 'no', false]],
  ])('HTTP %i', async (code, means) => {
    const { pay } = await http(await serve(status(code)));
    expect(await failed(pay())).toEqual(means);
  });

  test.each([
    [401, 'Bearer error="invalid_token"'],
    [403, 'Bearer error="insufficient_scope", scope="pay"'],
  ])('HTTP %i with a challenge', async (code, challenge) => {
    const { pay } = await http(await serve((response) => void response.writeHead(code, { 'www-authenticate': challenge }).end()));
    expect(await failed(pay())).toEqual(['http-error', 'no', false]);
  });

  test.each([
    [-32603, ['rpc-error', 'maybe', true]],
    [-32602, ['rpc-error', 'maybe', false]],
    [-32601, ['rpc-error', 'no', false]],
    [-31000, ['rpc-error', 'maybe', true]],
  ])('JSON-RPC error %i', async (code, means) => {
    const { pay } = await http(await serve(rpc({ error: { code, message: 'sorry' } })));
    expect(await failed(pay())).toEqual(means);
  });

  test('no answer in time, and an answer nobody waits for any more', async () => {
    const { pay } = await http(await serve(() => {}));
    expect(await failed(pay({ timeout: 50 }))).toEqual(['no-answer', 'maybe-later', true]);
  });

  test('an answer that is no JSON, or of another kind', async () => {
    const torn = await http(
      await serve((response) => void response.writeHead(200, { 'content-type': 'application/json' }).end('{"jsonrpc"')),
    );
    expect(await failed(torn.pay())).toEqual(['bad-answer', 'maybe', true]);
    const page = await http(await serve((response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>')));
    expect(await failed(page.pay())).toEqual(['bad-answer', 'maybe', false]);
  });

  test('a connection that breaks, before and after the answer has begun', async () => {
    const before = await http(await serve((response) => void response.destroy()));
    expect(await failed(before.pay())).toEqual(['disconnected', 'maybe-later', true]);
    const during = await http(
      await serve((response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
        response.write('{', () => response.destroy());
      }),
    );
    expect(await failed(during.pay())).toEqual(['disconnected', 'maybe-later', true]);
  });

  test('nobody listens', async () => {
    const url = await serve(status(200));
    const { pay } = await http(url);
    for (const close of closing.splice(0, 1)) await close();
    expect(await failed(pay())).toEqual(['disconnected', 'no', true]);
  });

  test('a result that does not fit its output schema was carried out', async () => {
    const { pay, list } = await http(await serve(rpc({ result: { content: [], structuredContent: { id: 7 } } })));
    await list();
    expect(await failed(pay())).toEqual(['bad-answer', 'yes', false]);
  });

  test('a server process that dies during the call', async () => {
    const { pay } = await stdio();
    expect(await failed(pay())).toEqual(['disconnected', 'maybe-later', true]);
  });

  test('a client that was closed', async () => {
    const { pay, close } = await http(await serve(status(200)));
    await close();
    expect(await failed(pay())).toEqual(['disconnected', 'no', true]);
  });
});

test('never throws and never claims to know, whatever was thrown', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (thrown) => {
      expect(['no', 'maybe', 'maybe-later', 'yes']).toContain(classifyError(thrown).executed);
    }),
  );
  expect(classifyError(undefined)).toMatchObject({ kind: 'error', executed: 'maybe-later', isTransient: false });
  const loop: { cause?: unknown } = new Error('loop');
  loop.cause = loop;
  expect(classifyError(loop)).toMatchObject({ kind: 'error', executed: 'maybe-later' });
});

test.each(['constructor', 'toString', '__proto__', 'hasOwnProperty'])('the code "%s" is one that nobody knows', (code) => {
  const { kind, executed, isTransient } = classifyError(Object.assign(new Error('x'), { code }));
  expect([kind, executed, isTransient]).toEqual(['error', 'maybe-later', false]);
});

test('a status in the data of a JSON-RPC error is a word of the server, and proves nothing about the call', () => {
  const error = Object.assign(new Error('the bank said no'), { code: -32000, data: { status: 429 } });
  expect(classifyError(error)).toMatchObject({ kind: 'rpc-error', executed: 'maybe' });
  expect(classifyError(error).status).toBeUndefined();
});

test.each([
  [{ retryAfterMs: 1500 }, 1500],
  [{ retryAfterSeconds: 1e300 }, 24 * 60 * 60_000],
  [{ retry_after: 2 }, 2000],
  [{ retryAfterSeconds: 3 }, 3000],
  [{ retryAfter: -1 }, undefined],
  [{ retryAfter: Number.NaN }, undefined],
])('reads what a JSON-RPC error says about coming back: %o', (data, expected) => {
  expect(classifyError(Object.assign(new Error('busy'), { code: -32000, data })).retryAfterMs).toBe(expected);
});
