/** Legacy HTTP+SSE (2024-11-05) through the proxy: official clients and servers, the bytes on the wire, and faults in the stream. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Client as Client2, SSEClientTransport as Transport2 } from '@modelcontextprotocol/client';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { ListRootsRequestSchema, ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js';
import type { Rule } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { afterEach, describe, expect, test } from 'vitest';
import { startLegacySse } from '../servers/http-legacy-sse.mjs';
import { call, open, post, proxied, rule, statesOf, type Proxied } from './harness.js';
import { httpChunks, rawClient, rawServer, readMessage, writeChunks } from './raw-sockets.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Server = Awaited<ReturnType<typeof startLegacySse>>;

async function serve(options?: Parameters<typeof startLegacySse>[0]): Promise<Server> {
  const server = await startLegacySse(options);
  stops.push(() => server.stop());
  return server;
}

async function through(upstream: string, rules: readonly Rule[], change?: Parameters<typeof proxied>[2]): Promise<Proxied> {
  const proxy = await proxied(upstream, rules, change);
  stops.push(() => proxy.proxy.stop());
  return proxy;
}

async function connect(url: string, name = 'agent'): Promise<Client> {
  const client = new Client({ name, version: '1' }, { capabilities: { roots: {} } });
  client.setRequestHandler(ListRootsRequestSchema, () => ({ roots: [{ uri: `file:///${name}` }] }));
  await client.connect(new SSEClientTransport(new URL(url)));
  stops.push(() => client.close());
  return client;
}

const echo = (client: Client, text: string): Promise<unknown> =>
  client.callTool({ name: 'echo', arguments: { text } }).then(({ content }) => (content as { text: string }[])[0]!.text);

/** What a client of SDK v1 sees of the server: answers, progress, a request of the server, and errors. */
async function tour(url: string): Promise<unknown> {
  const client = await connect(url, 'tour');
  const progress: unknown[] = [];
  return {
    version: client.getServerVersion(),
    tools: (await client.listTools()).tools.map(({ name }) => name),
    echo: await echo(client, 'é ✓'),
    count: await client.callTool({ name: 'count', arguments: { to: 4 } }, undefined, { onprogress: (step) => progress.push(step) }),
    ask: await client.callTool({ name: 'ask', arguments: {} }),
    parallel: await Promise.all(['a', 'b', 'c'].map((text) => echo(client, text))),
    unknown: await client.callTool({ name: 'no-such-tool' }).catch((error: unknown) => String(error)),
    progress,
  };
}

/** A proxy that only relays, and one that looks at everything. */
const ways: readonly (readonly [string, readonly Rule[]])[] = [
  ['relayed', []],
  ['watched', [rule(faults.latency, { when: { tool: ['nobody'] } })]],
];

/** Endpoints as servers announce them. */
const endpoints: readonly (readonly [string, Parameters<typeof startLegacySse>[0]])[] = [
  ['relative', {}],
  ['absolute', { endpoint: (path: string, url: string) => new URL(path, url).href }],
  ['relative to the stream', { endpoint: (path: string) => path.slice(1) }],
];

describe.each(ways)('%s', (_, rules) => {
  test.each(endpoints)('sdk v1 sees a server as it is: %s endpoint', async (_kind, options) => {
    const server = await serve(options);
    const direct = await tour(server.url);
    expect(await tour((await through(server.url, rules)).url)).toEqual(direct);
    expect(direct).toMatchObject({ progress: { length: 4 }, ask: { content: [{ text: 'file:///tour' }] } });
  });

  test.each(endpoints.slice(0, 2))('a prefix of the upstream stays between proxy and server: %s endpoint', async (_kind, options) => {
    const server = await serve({ ...options, prefix: '/base' });
    const { port } = await through(server.url.replace(/sse$/, ''), rules);
    expect(await echo(await connect(`http://127.0.0.1:${port}/sse`), 'x')).toBe('x');
  });

  test('client v2 sees it too', async () => {
    const { url } = await through((await serve()).url, rules);
    const client = new Client2({ name: 'two', version: '1' });
    await client.connect(new Transport2(new URL(url)));
    stops.push(() => client.close());
    expect((await client.callTool({ name: 'echo', arguments: { text: 'x' } })).content).toEqual([{ type: 'text', text: 'x' }]);
  });

  test('two clients at once get their own answers, although they use the same ids', async () => {
    const { url } = await through((await serve()).url, rules);
    const clients = await Promise.all(['one', 'two'].map((name) => connect(url, name)));
    const texts = Array.from({ length: 10 }, (_value, n) => String(n));
    const answers = await Promise.all(clients.flatMap((client, which) => texts.map((text) => echo(client, `${which}/${text}`))));
    expect(answers).toEqual(['0', '1'].flatMap((which) => texts.map((text) => `${which}/${text}`)));
  });

  test('a client that leaves ends its stream at the server, and a server that ends it is heard', async () => {
    const server = await serve();
    const { url } = await through(server.url, rules);
    const client = await connect(url);
    expect(server.sessions.size).toBe(1);
    await client.close();
    await expect.poll(() => server.sessions.size).toBe(0);

    const stream = await open(url, 'GET', undefined);
    await once(stream, 'data');
    for (const session of server.sessions.values()) await session.close();
    stream.resume();
    await once(stream, 'end');
  });

  test('an untouched stream and its POSTs pass byte for byte', async () => {
    const events = [
      ': hi\r\n\r\n',
      'id: 1\r\nevent:  endpoint\r\n\r\n',
      'event: endpoint\r\ndata: /post%20here?sessionId=7&x=%7E\r\n\r\n',
      'event: message\ndata: {"jsonrpc":"2.0",\ndata:  "id":1, "result":{"é":1.0}}\n\n',
      'data: {"jsonrpc":"2.0","method":"notifications/x"}\r\r',
      'retry: 5\n\ndata: torn',
    ];
    const heard: string[] = [];
    const server = await rawServer((request, socket) => {
      heard.push(request.start, request.body.toString());
      const head = request.start.startsWith('GET')
        ? 'HTTP/1.1 200 Fine\r\nContent-Type: text/event-stream\r\nX-Odd: é\r\nTransfer-Encoding: chunked\r\n\r\n'
        : 'HTTP/1.1 202 Taken\r\nX-Odd: 1\r\nContent-Length: 9\r\n\r\nAccepted.';
      const bytes = Buffer.from(events.join(''));
      const pieces = Array.from({ length: Math.ceil(bytes.length / 7) }, (_value, n) => bytes.subarray(n * 7, n * 7 + 7));
      void writeChunks(socket, [Buffer.from(head, 'latin1'), ...(request.start.startsWith('GET') ? httpChunks(pieces) : [])]);
    });
    stops.push(() => server.stop());
    const { port } = await through(server.url, rules);
    const socket = await rawClient(port);
    stops.push(async () => socket.destroy());
    socket.write('GET /sse HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n');
    const stream = await readMessage(socket);
    expect([stream.start, stream.body.toString()]).toEqual(['HTTP/1.1 200 Fine', events.join('')]);
    const body = '{"jsonrpc":"2.0", "id":1,"method":"ping"}';
    socket.write(`POST /post%20here?sessionId=7&x=%7E HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
    const accepted = await readMessage(socket);
    expect([accepted.start, accepted.body.toString()]).toEqual(['HTTP/1.1 202 Taken', 'Accepted.']);
    expect(heard).toEqual(['GET /sse HTTP/1.1', '', 'POST /post%20here?sessionId=7&x=%7E HTTP/1.1', body]);
  });
});

describe('faults', () => {
  test('an error in the place of an answer comes in the stream, and the POST is accepted', async () => {
    const server = await serve();
    const { url, journal } = await through(server.url, [rule(faults.errorResponse, { when: { tool: ['refund'] }, at: { first: 1 } })]);
    const client = await connect(url);
    await expect(client.callTool({ name: 'refund' })).rejects.toThrow('Internal error');
    expect(server.seen.executions).toBe(0);
    expect(await client.callTool({ name: 'refund' })).toMatchObject({ content: [{ text: 'refund 1' }] });
    expect(statesOf(journal)).toEqual(['delivered']);
  });

  test('an answer of the server is edited in the stream', async () => {
    const { url } = await through((await serve()).url, [rule(faults.toolError, { phase: 'post' })]);
    expect(await (await connect(url)).callTool({ name: 'echo', arguments: { text: 'x' } })).toMatchObject({ isError: true });
  });

  test('a status is said to the POST', async () => {
    const { url } = await through((await serve()).url, [rule(faults.httpStatus, { at: { first: 1 } })]);
    const client = await connect(url);
    await expect(echo(client, 'x')).rejects.toThrow('503');
    expect(await echo(client, 'y')).toBe('y');
  });

  test('a broken connection breaks the stream, and the server hears of it', async () => {
    const server = await serve();
    const { url, journal } = await through(server.url, [rule(faults.connectionDrop, { phase: 'post', at: { first: 1 } })]);
    const stream = await open(url, 'GET', undefined);
    const [first] = (await once(stream, 'data')) as [Buffer];
    const endpoint = new URL(/data: (.*)/.exec(first.toString())![1]!, url).href;
    const lost = once(stream, 'error');
    // The answer and the acknowledgement of the POST race each other.
    const posted = post(endpoint, call(1, 'refund')).then(
      ({ status }) => status,
      ({ code }: { code: string }) => code,
    );
    expect([202, 'ECONNRESET']).toContain(await posted);
    expect(await lost).toMatchObject([{ code: 'ECONNRESET' }]);
    expect(server.seen.executions).toBe(1);
    await expect.poll(() => server.sessions.size).toBe(0);
    expect(statesOf(journal)).toEqual(['delivered']);
    expect((await post(endpoint, call(2, 'refund'))).status).toBe(404);
  });

  test('before the server hears of a call, its POST is broken too', async () => {
    const server = await serve();
    const { url } = await through(server.url, [rule(faults.connectionDrop, { when: { tool: ['refund'] } })]);
    const client = await connect(url);
    await expect(client.callTool({ name: 'refund' })).rejects.toThrow();
    expect(server.seen.executions).toBe(0);
  });

  test('notices that nobody sent come in the stream of their own session only', async () => {
    const storm = rule(faults.listChangedStorm, { params: { everyMs: 1, count: 3 }, when: { session: ['one#1'] } });
    const { url } = await through((await serve()).url, [storm]);
    const notices = { one: 0, two: 0 };
    const clients = [await connect(url, 'one'), await connect(url, 'two')] as const;
    clients[0].setNotificationHandler(ToolListChangedNotificationSchema, () => void notices.one++);
    clients[1].setNotificationHandler(ToolListChangedNotificationSchema, () => void notices.two++);
    for (const client of clients) await echo(client, 'x');
    await expect.poll(() => notices.one).toBe(3);
    expect(notices.two).toBe(0);
  });

  test('a cancelled call is cancelled at the server', async () => {
    const server = await serve();
    const { url } = await through(server.url, [rule(faults.latency, { when: { tool: ['nobody'] } })]);
    const client = await connect(url);
    const giveUp = new AbortController();
    const waiting = client.callTool({ name: 'wait' }, undefined, { signal: giveUp.signal });
    await echo(client, 'x');
    giveUp.abort();
    await expect(waiting).rejects.toThrow();
    await expect.poll(() => server.seen.cancelled).toBe(1);
  });

  test('two answers in slices at once stay whole, and so does what comes between them', async () => {
    const slow = rule(faults.pace, { params: { sliceBytes: 3, everyMs: 1 }, when: { args: { text: 'slow ✓' } } });
    const { url } = await through((await serve()).url, [slow]);
    const client = await connect(url);
    const texts = ['slow ✓', 'slow ✓', 'quick', 'slow ✓', 'quick'];
    expect(await Promise.all(texts.map((text) => echo(client, text)))).toEqual(texts);
  });

  test('an answer that is too large to keep and does not come holds up no other', async () => {
    let stream: ServerResponse | undefined;
    const server = createServer((request, response) => {
      if (request.method === 'GET') stream = response.writeHead(200, { 'content-type': 'text/event-stream' });
      else response.writeHead(202).end('Accepted');
      if (request.method === 'GET') response.write('event: endpoint\ndata: /messages\n\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    stops.push(async () => server.close().closeAllConnections());
    const upstream = `http://127.0.0.1:${(server.address() as AddressInfo).port}/sse`;
    const { url, journal } = await through(upstream, [rule(faults.lostAck, { at: { first: 1 } })], { maxFrameBytes: 2000 });
    const client = await open(url, 'GET', undefined);
    let heard = '';
    client.on('data', (bytes: Buffer) => (heard += bytes.toString()));
    const answer = (id: number, text: string): string => `data: {"jsonrpc":"2.0","id":${id},"result":{"content":[],"text":"${text}"}}\n\n`;
    const large = answer(1, 'x'.repeat(100_000));
    for (const id of [1, 2, 3]) await post(new URL('/messages', url).href, call(id, 'refund'));
    // In two pieces: most of it comes after the fault has kept its first part.
    stream!.write(large.slice(0, 50_000));
    await expect.poll(() => statesOf(journal)).toEqual(['delivered']);
    stream!.write(large.slice(50_000) + answer(2, 'small') + answer(3, 'y'.repeat(5000)));
    await expect.poll(() => heard).toContain(answer(2, 'small') + answer(3, 'y'.repeat(5000)));
    expect(heard).not.toContain('xx');
  });

  test('a header names the session, and the journal knows it by that name', async () => {
    const { url, journal } = await through((await serve()).url, [rule(faults.doNothing)], { labelHeader: 'X-Task' });
    const client = new Client({ name: 'agent', version: '1' });
    await client.connect(new SSEClientTransport(new URL(url), { requestInit: { headers: { 'X-Task': 'seven' } } }));
    stops.push(() => client.close());
    await echo(client, 'x');
    expect(journal.flatMap((entry) => (entry.kind === 'fault' ? [entry.session] : []))).toEqual(['seven']);
  });
});
