/** Servers and connections that break, as a caller of a real fetch sees them. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createCatalogue, requirePlan, type JsonObject, type Plan } from '../core/index.js';
import { acceptedOnly } from '../faults/accepted-only.js';
import { crash } from '../faults/crash.js';
import { dnsFailure } from '../faults/dns-failure.js';
import { tlsFailure } from '../faults/tls-failure.js';
import { truncate } from '../faults/truncate.js';
import { wrapFetch } from './fetch.js';

const catalogue = createCatalogue([acceptedOnly, crash, dnsFailure, tlsFailure, truncate]);
const planOf = (rule: JsonObject): Plan => requirePlan({ version: 1, rules: [{ id: 'rule', ...rule }] }, catalogue, { transport: 'fetch' });

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** Answers every call but those of the tool `wait`; `seen` counts what reached it. */
async function serve(as: 'json' | 'events'): Promise<{ url: string; seen: string[] }> {
  const seen: string[] = [];
  server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      seen.push(body);
      if (body.includes('"wait"')) return;
      const { id } = JSON.parse(body) as { id: number };
      const text = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'the very end' }] } });
      const isJson = as === 'json';
      response
        .writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/event-stream' })
        .end(isJson ? text : `data: ${text}\n\n`);
    });
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server?.once('listening', resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, seen };
}

const post = (id: number, name = 'pay'): RequestInit => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name } }),
});

test.each([
  [
    'dns-failure',
    { code: 'ENOTFOUND' },
    'getaddrinfo ENOTFOUND mcp.example.com',
    { code: 'ENOTFOUND', errno: -3008, hostname: 'mcp.example.com' },
  ],
  [
    'dns-failure',
    { code: 'EAI_AGAIN' },
    'getaddrinfo EAI_AGAIN mcp.example.com',
    { code: 'EAI_AGAIN', errno: -3001, hostname: 'mcp.example.com' },
  ],
  ['tls-failure', { reason: 'expired' }, 'certificate has expired', { code: 'CERT_HAS_EXPIRED' }],
  ['tls-failure', { reason: 'self-signed' }, 'self-signed certificate', { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }],
  [
    'tls-failure',
    { reason: 'name' },
    "Hostname/IP does not match certificate's altnames: Host: mcp.example.com. is not in the cert's altnames: DNS:example.com",
    { code: 'ERR_TLS_CERT_ALTNAME_INVALID', host: 'mcp.example.com' },
  ],
])('%s %j fails in the words of Node, and nothing is sent', async (fault, params, message, more) => {
  const sent = (): Promise<Response> => Promise.reject(new Error('it was sent'));
  const wrapped = wrapFetch(sent, { plan: planOf({ fault, params: { ...params, forMs: 0 } }), isAllowed: () => true });
  for (const input of ['https://mcp.example.com/mcp', new URL('https://mcp.example.com'), new Request('https://mcp.example.com')]) {
    const error = await wrapped.fetch(input, post(1)).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: 'fetch failed', cause: { message, ...more } as unknown });
  }
});

test('a crash takes every call with it, and nobody listens for a while', async () => {
  const { url, seen } = await serve('json');
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, schedule: () => () => {} };
  const plan = planOf({ fault: 'crash', params: { downMs: 100 }, when: { tool: 'pay' }, at: { first: 1 } });
  const wrapped = wrapFetch(fetch, { plan, clock, observesAll: true, isAllowed: () => true });
  const first = wrapped.fetch(url, post(1, 'wait')).catch((reason: unknown) => reason);
  await expect.poll(() => seen).toHaveLength(1);
  const second = wrapped.fetch(url, post(2)).catch((reason: unknown) => reason);
  for (const error of [await first, await second]) {
    expect(error).toBeInstanceOf(TypeError);
    expect(error).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
  }
  await expect(wrapped.fetch(url, post(3))).rejects.toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  nowMs = 100;
  expect((await wrapped.fetch(url, post(4))).status).toBe(200);
  const outcomes = wrapped.journal.flatMap((entry) => (entry.kind === 'call' ? [entry.outcome] : []));
  expect(outcomes).toEqual(['disconnected', 'disconnected', 'ok']);
});

test('a crash takes requests with it that no rule looks at', async () => {
  const { url, seen } = await serve('json');
  const plan = planOf({ fault: 'crash', when: { tool: 'pay' } });
  const wrapped = wrapFetch(fetch, { plan, isAllowed: () => true });
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: { cursor: 'wait' } });
  const list = wrapped.fetch(url, { ...post(1), body }).catch((reason: unknown) => reason);
  await expect.poll(() => seen).toHaveLength(1);
  await expect(wrapped.fetch(url, post(2))).rejects.toMatchObject({ cause: { code: 'ECONNRESET' } });
  expect(await list).toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } });
});

test.each([
  ['events', 'end', undefined],
  ['events', 'reset', 'ECONNRESET'],
  ['json', 'end', 'UND_ERR_SOCKET'],
  ['json', 'reset', 'ECONNRESET'],
] as const)('an answer (%s) that breaks off in the middle (%s)', async (as, how, code) => {
  const { url } = await serve(as);
  const wrapped = wrapFetch(fetch, { plan: planOf({ fault: 'truncate', params: { how } }), isAllowed: () => true });
  const response = await wrapped.fetch(url, post(1));
  let text = '';
  const read = async (): Promise<void> => {
    for await (const chunk of response.body!) text += new TextDecoder().decode(chunk);
  };
  const error = await read().catch((reason: unknown) => reason);
  expect(text).toContain('{"jsonrpc');
  expect(text).not.toContain('the very end');
  if (code === undefined) expect(error).toBeUndefined();
  else expect(error).toMatchObject({ message: 'terminated', cause: { code } });
});

test('an empty body has no content type', async () => {
  const { url } = await serve('json');
  const wrapped = wrapFetch(fetch, { plan: planOf({ fault: 'accepted-only' }), isAllowed: () => true });
  const response = await wrapped.fetch(url, post(1));
  expect([response.status, response.headers.get('content-type'), await response.text()]).toEqual([202, null, '']);
});
