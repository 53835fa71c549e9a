/** What no rule touches leaves as it came: every byte of a body, every end-to-end header, and every way to break off. */
import { once } from 'node:events';
import * as faults from '@toolquake/sdk/faults';
import type { Rule } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { proxied, rule, type Proxied } from './harness.js';
import { httpChunks, rawClient, rawServer, readMessage, writeChunks, type Parsed } from './raw-sockets.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const HOP_BY_HOP = /^(connection|keep-alive|transfer-encoding|date)$/i;
const endToEnd = ({ headers }: Parsed): string[] =>
  headers.filter(([name]) => !HOP_BY_HOP.test(name)).map(([name, value]) => `${name}: ${value}`);

type Answer = { readonly head: string; readonly chunks: readonly Buffer[] };

/** A proxy before a raw server that answers with what `next` holds. */
async function stage(rules: readonly Rule[]): Promise<Proxied & { seen: Parsed[]; next: { answer: Answer } }> {
  const seen: Parsed[] = [];
  const next: { answer: Answer } = { answer: { head: '', chunks: [] } };
  const server = await rawServer((request, socket) => {
    seen.push(request);
    void writeChunks(socket, [Buffer.from(next.answer.head, 'latin1'), ...next.answer.chunks]);
  });
  stops.push(() => server.stop());
  const through = await proxied(server.url, rules);
  stops.push(() => through.proxy.stop());
  return { ...through, seen, next };
}

const caseOf = (name: string, flips: number): string =>
  Array.from(name, (letter, index) => ((flips >> (index % 31)) & 1 ? letter.toUpperCase() : letter.toLowerCase())).join('');
const headerName = fc
  .tuple(fc.constantFrom('x-one', 'x-two', 'mcp-param-city', 'authorization', 'traceparent'), fc.nat())
  .map(([name, flips]) => caseOf(name, flips));
const headerValue = fc.string({ maxLength: 12, unit: fc.constantFrom('a', 'B', '=', '?', ';', 'é', '"', '7') });
const headers = fc.array(fc.tuple(headerName, headerValue), { maxLength: 5 });
const parts = fc.array(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  { maxLength: 6 },
);
const events = fc
  .array(
    fc.constantFrom(
      'data: {"jsonrpc":"2.0","method":"notifications/x"}\n\n',
      ': hi\r\n\r\n',
      'id: 1\rdata:\r\r',
      'data: {"id":9,"result":{}}\n\n',
      'data: torn',
      'retry: 5\n\n',
    ),
    { maxLength: 8 },
  )
  .map((list) => list.map((one) => Buffer.from(one)));
const text = (list: readonly (readonly [string, string])[]): string => list.map(([name, value]) => `${name}: ${value}\r\n`).join('');

/** A rule that is at work and never fires: everything is looked at, nothing is changed. */
const WATCHING = [rule(faults.emptyResult, { when: { tool: ['nobody'] } })];

describe.each([
  ['without a plan', []],
  ['with a plan that matches nothing', WATCHING],
])('%s', (_, rules) => {
  test('bodies and headers pass byte for byte, however they are chunked', async () => {
    const { port, seen, next } = await stage(rules);
    const shape = fc.record({
      requestHeaders: headers,
      answerHeaders: headers,
      request: parts,
      answer: fc.oneof(parts, events),
      isChunked: fc.boolean(),
      isAnswerChunked: fc.boolean(),
      isStream: fc.boolean(),
      method: fc.constantFrom('POST', 'PUT', 'DELETE'),
    });
    await fc.assert(
      fc.asyncProperty(shape, async (given) => {
        const sent = Buffer.concat(given.request);
        const answered = Buffer.concat(given.answer);
        const type = given.isStream ? 'Content-Type: text/event-stream\r\n' : '';
        const framing = given.isAnswerChunked ? 'Transfer-Encoding: chunked' : `Content-Length: ${answered.length}`;
        next.answer = {
          head: `HTTP/1.1 200 Very Fine\r\n${text(given.answerHeaders)}${type}${framing}\r\n\r\n`,
          chunks: given.isAnswerChunked ? httpChunks(given.answer) : given.answer,
        };
        seen.length = 0;
        const socket = await rawClient(port);
        const how = given.isChunked ? 'transfer-encoding: chunked' : `CONTENT-length: ${sent.length}`;
        const head = `${given.method} /mcp?a=%20b HTTP/1.1\r\nhOST: example.test\r\n${text(given.requestHeaders)}${how}\r\n\r\n`;
        const reply = readMessage(socket);
        await writeChunks(socket, [Buffer.from(head, 'latin1'), ...(given.isChunked ? httpChunks(given.request) : given.request)]);
        const parsed = await reply;
        socket.destroy();
        expect(seen[0]?.start).toBe(`${given.method} /mcp?a=%20b HTTP/1.1`);
        expect(seen[0]?.body.equals(sent)).toBe(true);
        const asSent = [
          'hOST: example.test',
          ...given.requestHeaders.map(([name, value]) => `${name}: ${value}`),
          ...(given.isChunked ? [] : [`CONTENT-length: ${sent.length}`]),
        ];
        expect(endToEnd(seen[0]!)).toEqual(asSent);
        expect(parsed.start).toBe('HTTP/1.1 200 Very Fine');
        expect(parsed.body.equals(answered)).toBe(true);
        const kept = [
          ...given.answerHeaders.map(([name, value]) => `${name}: ${value}`),
          ...(given.isStream ? ['Content-Type: text/event-stream'] : []),
        ];
        expect(endToEnd(parsed).filter((line) => !line.startsWith('Content-Length'))).toEqual(kept);
      }),
      { numRuns: 150 },
    );
  });

  test('the head of an answer does not wait for its body', async () => {
    const { port, next } = await stage(rules);
    next.answer = { head: 'HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n', chunks: [] };
    const socket = await rawClient(port);
    socket.write('GET /mcp HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n');
    const [chunk] = (await once(socket, 'data')) as [Buffer];
    expect(chunk.toString()).toContain('text/event-stream');
    socket.destroy();
  });

  test('an answer that breaks off resets the client', async () => {
    const server = await rawServer((_request, socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n: hi\n\n\r\n');
      setImmediate(() => socket.end());
    });
    stops.push(() => server.stop());
    const through = await proxied(server.url, rules);
    stops.push(() => through.proxy.stop());
    const socket = await rawClient(through.port);
    socket.on('data', () => {});
    socket.write('GET /mcp HTTP/1.1\r\nHost: a\r\n\r\n');
    const [error] = (await once(socket, 'error')) as [NodeJS.ErrnoException];
    expect(error.code).toBe('ECONNRESET');
  });

  test('waits for "100 Continue" and passes early hints and trailers on', async () => {
    const { createServer } = await import('node:http');
    const server = createServer();
    server.on('checkContinue', (request, response) => {
      response.writeContinue();
      response.writeEarlyHints({ link: '</a>; rel=preload' });
      request.resume().once('end', () => {
        response.writeHead(200, { Trailer: 'X-Sum' });
        response.write('body');
        response.addTrailers({ 'X-Sum': '42' });
        response.end();
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    stops.push(async () => {
      server.closeAllConnections();
      server.close();
    });
    const { port } = server.address() as { port: number };
    const through = await proxied(`http://127.0.0.1:${port}/mcp`, rules);
    stops.push(() => through.proxy.stop());
    const socket = await rawClient(through.port);
    let all = '';
    socket.on('data', (chunk) => {
      all += String(chunk);
      if (all.includes('100 Continue') && !all.includes('200 OK')) socket.write('xx');
    });
    // PUT: messages of MCP are posted, and those are read before they go on.
    socket.write('PUT /mcp HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n');
    await expect.poll(() => all).toMatch(/100 Continue[\s\S]*103 Early Hints[\s\S]*200 OK[\s\S]*body[\s\S]*X-Sum: 42\r\n\r\n$/);
    socket.destroy();
  });
});

describe.each([
  ['without a plan', []],
  ['with a plan that matches nothing', WATCHING],
])('%s', (_, rules) => {
  const sum = Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}');
  test.each([
    ['one body', 'application/json', sum],
    ['an event stream', 'text/event-stream', Buffer.from(`data: ${String(sum)}\n\n`)],
  ])('interim answers and trailers of a POST pass, with %s', async (_form, type, body) => {
    const { port, next, seen } = await stage(rules);
    const [bodyChunk] = httpChunks([body]);
    next.answer = {
      head: `HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\nHTTP/1.1 102 Busy\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: ${type}\r\nTrailer: X-Sum\r\nTransfer-Encoding: chunked\r\n\r\n`,
      chunks: [bodyChunk!, Buffer.from('0\r\nX-Sum: 42\r\nx-LAST: yes\r\n\r\n')],
    };
    const socket = await rawClient(port);
    let all = '';
    socket.on('data', (chunk) => (all += String(chunk)));
    const posted = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo' } });
    socket.write(`POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nTrailer: X-Mine\r\n\r\n`);
    socket.write(`${posted.length.toString(16)}\r\n${posted}\r\n0\r\nX-Mine: 7\r\n\r\n`);
    await expect.poll(() => all).toMatch(/X-Sum: 42\r\nx-LAST: yes\r\n\r\n$/);
    expect(all).toMatch(/^HTTP\/1.1 103 Early Hints\r\nLink: <\/a>; rel=preload\r\n\r\nHTTP\/1.1 102 Busy\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    expect(all).toContain(String(body));
    expect(seen[0]?.body.toString()).toBe(posted);
    expect(seen[0]?.headers).toContainEqual(['Trailer', 'X-Mine']);
    expect(seen[0]?.trailers).toBe('X-Mine: 7\r\n');
    socket.destroy();
  });
});

test('a server that is not there is a bad gateway, and one that comes later is found', async () => {
  const gone = await rawServer(() => {});
  await gone.stop();
  const through = await proxied(gone.url, []);
  stops.push(() => through.proxy.stop());
  const socket = await rawClient(through.port);
  socket.write('POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}');
  const reply = await readMessage(socket);
  expect(reply.start).toBe('HTTP/1.1 502 Bad Gateway');
  expect(reply.body.toString()).toContain('ECONNREFUSED');
  socket.destroy();
});

test('a URL that ends in a slash is a prefix of every path, and Host is rewritten only when asked', async () => {
  const paths: string[] = [];
  const server = await rawServer((request, socket) => {
    paths.push(`${request.start.split(' ')[1]} ${request.headers.find(([name]) => name === 'Host')?.[1]}`);
    socket.write('HTTP/1.1 204 No Content\r\n\r\n');
  });
  stops.push(() => server.stop());
  for (const [upstream, rewriteHost] of [
    [server.url, false],
    [`${new URL(server.url).origin}/team/`, true],
  ] as const) {
    const through = await proxied(upstream, [], { rewriteHost });
    stops.push(() => through.proxy.stop());
    const socket = await rawClient(through.port);
    socket.write('GET /.well-known/x HTTP/1.1\r\nHost: mine\r\n\r\n');
    await readMessage(socket);
    socket.destroy();
  }
  expect(paths).toEqual(['/.well-known/x mine', `/team/.well-known/x ${new URL(server.url).host}`]);
});
