/** Forward mode: clients name the server, in every request or in a tunnel, and plans apply as they do in reverse mode. */
import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import net, { createServer, type AddressInfo, type Socket } from 'node:net';
import { Client as Client1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as Transport1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import * as faults from '@toolquake/sdk/faults';
import type { JournalEntry } from '@toolquake/sdk/core';
import { afterEach, expect, test } from 'vitest';
import { startBank } from '../servers/http-bank.mjs';
import { startLegacySse } from '../servers/http-legacy-sse.mjs';
import { startDualEra } from '../servers/http-dual-era.mjs';
import { call, proxied, rule, statesOf } from './harness.js';
import { rawClient, rawServer, readMessage, type Parsed } from './raw-sockets.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function forward(...[rules = [], change = {}]: [Parameters<typeof proxied>[1]?, Parameters<typeof proxied>[2]?]) {
  const told: string[] = [];
  const started = await proxied('any', rules, { tell: (line) => void told.push(line), ...change });
  stops.push(() => started.proxy.stop());
  return { ...started, told };
}

async function bank(): Promise<Awaited<ReturnType<typeof startBank>>> {
  const started = await startBank();
  stops.push(() => started.stop());
  return started;
}

/** A server that says what it was asked, so that a test can compare. */
async function mirror(): Promise<{ readonly host: string; readonly seen: Parsed[] }> {
  const seen: Parsed[] = [];
  const server = await rawServer((asked, socket) => {
    seen.push(asked);
    socket.write('HTTP/1.1 200 Fine\r\nX-One: a\r\nContent-Length: 2\r\n\r\nok');
  });
  stops.push(() => server.stop());
  return { host: new URL(server.url).host, seen };
}

async function client(port: number): Promise<Socket> {
  const socket = await rawClient(port);
  stops.push(() => socket.destroy());
  return socket;
}

async function ask(socket: Socket, text: string): Promise<Parsed> {
  const reply = readMessage(socket);
  socket.write(text);
  return reply;
}

async function tunnel(port: number, authority: string): Promise<Socket> {
  const socket = await client(port);
  const reply = await ask(socket, `CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`);
  expect(reply.start).toBe('HTTP/1.1 200 Connection Established');
  return socket;
}

const posted = (target: string, host: string, message: unknown): string => {
  const body = JSON.stringify(message);
  return `POST ${target} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
};

const watching = [rule(faults.emptyResult, { when: { tool: ['nobody'] } })];

test.each([
  ['without a plan', []],
  ['with a plan that matches nothing', watching],
])('leads absolute requests to the server they name, %s', async (_, rules) => {
  const [one, two, { port }] = [await mirror(), await mirror(), await forward(rules)];
  const socket = await client(port);
  for (const { host, seen } of [one, two, one]) {
    const reply = await ask(
      socket,
      `GET http://${host}/.well-known/x?a=%20b HTTP/1.1\r\nHOST: other.test\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: keep-alive\r\nx-TWO: 2\r\n\r\n`,
    );
    expect([reply.start, reply.body.toString()]).toEqual(['HTTP/1.1 200 Fine', 'ok']);
    expect(seen.at(-1)?.start).toBe('GET /.well-known/x?a=%20b HTTP/1.1');
    expect(seen.at(-1)?.headers.filter(([name]) => name !== 'Connection')).toEqual([
      ['HOST', 'other.test'],
      ['x-TWO', '2'],
    ]);
  }
  expect([one.seen.length, two.seen.length]).toEqual([2, 1]);
});

test.each([
  ['without a plan', []],
  ['with a plan that matches nothing', watching],
])('reads plain HTTP inside a tunnel, request after request, %s', async (_, rules) => {
  const [{ host, seen }, { port, told }] = [await mirror(), await forward(rules)];
  const socket = await tunnel(port, host);
  for (const path of ['/mcp', '/b?c']) {
    const reply = await ask(socket, `PUT ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Length: 3\r\n\r\nabc`);
    expect([reply.start, reply.body.toString()]).toEqual(['HTTP/1.1 200 Fine', 'ok']);
    expect([seen.at(-1)?.start, seen.at(-1)?.body.toString()]).toEqual([`PUT ${path} HTTP/1.1`, 'abc']);
  }
  expect(told).toEqual([]);
});

test('rules and the journal apply to both forms, and know each server by its name', async () => {
  const [one, two] = [await bank(), await bank()];
  const hosts = [one, two].map(({ url }) => new URL(url).host) as [string, string];
  const { port, journal } = await forward([rule(faults.emptyResult, { when: { tool: ['echo'], target: [hosts[0]] } })]);
  const echo = call(1, 'echo', { text: 'said' });
  const plain = await client(port);
  const inside = await tunnel(port, hosts[0]);
  expect((await ask(plain, posted(one.url, hosts[0], echo))).body.toString()).not.toContain('said');
  expect((await ask(inside, posted('/mcp', hosts[0], echo))).body.toString()).not.toContain('said');
  expect((await ask(plain, posted(two.url, hosts[1], echo))).body.toString()).toContain('said');
  expect(statesOf(journal)).toEqual(['delivered', 'delivered']);
  const isCall = (entry: JournalEntry): boolean => entry.kind === 'call';
  await expect.poll(() => journal.filter(isCall)).toHaveLength(3);
});

test('TLS in a tunnel is passed on unread, told of once, and ends as it ended', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).on('data', (bytes: Buffer) => socket.write(bytes)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { port, told } = await forward(watching);
  const hello = Buffer.from([0x16, 3, 1, 0, 0xff, 0x80, 13, 10]);
  for (let time = 0; time < 2; time++) {
    const socket = await tunnel(port, authority);
    socket.write(hello);
    const [echoed] = (await once(socket, 'data')) as [Buffer];
    expect(echoed.equals(hello)).toBe(true);
    const ended = once(socket, 'end');
    socket.end();
    await ended;
  }
  expect(told).toEqual([`${authority} is spoken to in TLS, which is passed on unread: no rule applies there.`]);
});

test('a server that speaks first is heard, and passed on unread', async () => {
  const server = createServer((socket) => {
    socket.on('error', () => {}).on('data', (bytes: Buffer) => socket.end(`250 ${String(bytes)}`));
    socket.write('220 mail.test\r\n');
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stops.push(() => server.close());
  const authority = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { port, told } = await forward(watching);
  const socket = await tunnel(port, authority);
  expect(String((await once(socket, 'data'))[0])).toBe('220 mail.test\r\n');
  socket.write('EHLO\r\n');
  expect(String((await once(socket, 'data'))[0])).toBe('250 EHLO\r\n');
  await once(socket, 'end');
  socket.end();
  expect(told).toEqual([
    `${authority} speaks before its client, which HTTP never does: it is passed on unread, and no rule applies there.`,
  ]);
});

test('a client that takes its time in a tunnel is still read', async () => {
  const body = '{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"said"}]}}';
  const server = await rawServer((_request, socket) => {
    socket.write(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  });
  stops.push(() => server.stop());
  const { host } = new URL(server.url);
  const { port, journal } = await forward([rule(faults.emptyResult)]);
  const socket = await tunnel(port, host);
  // By then the proxy has looked whether the server speaks first.
  await expect.poll(() => server.connections).toBe(1);
  expect((await ask(socket, posted('/mcp', host, call(1, 'echo')))).body.toString()).not.toContain('said');
  expect(statesOf(journal)).toEqual(['delivered']);
});

test('HTTP+SSE works through absolute requests and through a tunnel, and rules apply', async () => {
  const server = await startLegacySse();
  stops.push(() => server.stop());
  const { port, journal } = await forward([rule(faults.emptyResult, { when: { tool: ['echo'] } })]);
  const { host, pathname } = new URL(server.url);
  for (const way of ['absolute', 'tunnel'] as const) {
    const reach = async (): Promise<[Socket, string]> =>
      way === 'absolute' ? [await client(port), `http://${host}`] : [await tunnel(port, host), ''];
    const [stream, prefix] = await reach();
    let heard = '';
    stream.on('data', (chunk) => (heard += String(chunk)));
    stream.write(`GET ${prefix}${pathname} HTTP/1.1\r\nHost: ${host}\r\nAccept: text/event-stream\r\n\r\n`);
    await expect.poll(() => heard).toMatch(/event: endpoint\r?\ndata: \S+\r?\n/);
    const endpoint = new URL(/event: endpoint\r?\ndata: (\S+)/.exec(heard)![1]!, server.url);
    const [line] = await reach();
    const accepted = await ask(line, posted(`${prefix}${endpoint.pathname}${endpoint.search}`, host, call(1, 'echo', { text: 'said' })));
    expect(accepted.start).toMatch(/^HTTP\/1.1 202 /);
    await expect.poll(() => heard).toContain('"id":1');
    expect(heard).not.toContain('said');
  }
  expect(statesOf(journal)).toEqual(['delivered', 'delivered']);
});

test('a tunnel to where nobody listens breaks off for TLS, and is a 502 for HTTP', async () => {
  const { port, told } = await forward();
  const free = net.createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const authority = `127.0.0.1:${(free.address() as AddressInfo).port}`;
  await new Promise((resolve) => free.close(resolve));
  const secret = await tunnel(port, authority);
  const closed = new Promise((resolve) => secret.once('close', resolve));
  secret.on('error', () => {}).write(Buffer.from([0x16, 3, 1]));
  await closed;
  expect(told.at(-1)).toMatch(/^the tunnel to 127\.0\.0\.1:\d+ broke: .*ECONNREFUSED/);
  const plain = await tunnel(port, authority);
  expect((await ask(plain, `GET / HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)).start).toBe('HTTP/1.1 502 Bad Gateway');
});

test('refuses to lead to itself, whatever it is called', async () => {
  const { port, told } = await forward();
  for (const name of ['127.0.0.1', 'localhost']) {
    const reply = await ask(await client(port), `GET http://${name}:${port}/ HTTP/1.1\r\nHost: ${name}:${port}\r\n\r\n`);
    expect([reply.start, reply.body.toString()], name).toEqual(['HTTP/1.1 502 Bad Gateway', 'Bad Gateway: ELOOP\n']);
  }
  const secret = await tunnel(port, `127.0.0.1:${port}`);
  const closed = new Promise((resolve) => secret.once('close', resolve));
  secret.on('error', () => {}).write(Buffer.from([0x16, 3, 1]));
  await closed;
  expect(told.at(-1)).toContain('The proxy was asked for itself.');
});

test.each([
  ['GET /mcp HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ['GET ftp://a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ['GET http://me:secret@a.test/ HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ['CONNECT nowhere HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
  ['CONNECT a.test:0 HTTP/1.1\r\nHost: a.test\r\n\r\n', 'HTTP/1.1 400 Bad Request'],
])('%j leads nowhere, and later requests work', async (text, start) => {
  const [{ host }, { port }] = [await mirror(), await forward()];
  expect((await ask(await client(port), text)).start).toBe(start);
  expect((await ask(await client(port), `GET http://${host}/ HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).start).toBe('HTTP/1.1 200 Fine');
});

test('an official client of SDK v1 sees the same through a tunnel and through absolute requests', async () => {
  const dual = await startDualEra();
  stops.push(() => dual.stop());
  const { port, journal } = await forward(watching);
  const { host, hostname, port: serverPort } = new URL(dual.url);
  const tour = async (fetch?: typeof globalThis.fetch): Promise<unknown> => {
    const agent = new Client1({ name: 'tour', version: '1' });
    const transport = new Transport1(new URL(dual.url), fetch === undefined ? {} : { fetch });
    await agent.connect(transport);
    const { tools } = await agent.listTools();
    const called = await agent.callTool({ name: tools[0]!.name, arguments: {} }).catch((error: unknown) => String(error));
    const seen = { server: agent.getServerVersion(), tools, called };
    await agent.close();
    return seen;
  };
  const direct = await tour();
  const absolute = await tour((_url, init) => fetchBy({ port, host: '127.0.0.1', path: dual.url }, host, init));
  const tunnelled = await tour(async (_url, init) => {
    const socket = await tunnel(port, `${hostname}:${serverPort}`);
    return fetchBy({ createConnection: () => socket, path: new URL(dual.url).pathname }, host, init);
  });
  expect([absolute, tunnelled]).toEqual([direct, direct]);
  const sessions = journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.session, entry.era]] : []));
  expect(sessions).toEqual([
    ['tour#1', 'legacy'],
    ['tour#2', 'legacy'],
  ]);
});

/** A fetch for tests: node:http with a given way to connect. */
function fetchBy(
  way: { path: string; port?: number; host?: string; createConnection?: () => Socket },
  host: string,
  init: RequestInit = {},
): Promise<Response> {
  return new Promise((resolve, reject) => {
    const headers = { ...Object.fromEntries(new Headers(init.headers)), host };
    const out = httpRequest(
      { ...way, method: init.method ?? 'GET', headers, ...(init.signal ? { signal: init.signal } : {}) },
      (answer) => {
        const isEmpty = answer.statusCode === 202 || answer.statusCode === 204;
        const body = new ReadableStream<Uint8Array>({
          start(controller) {
            answer.on('data', (chunk: Buffer) => controller.enqueue(new Uint8Array(chunk)));
            answer.on('end', () => controller.close());
            answer.on('error', (error) => controller.error(error));
          },
        });
        const given = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as [string, string]);
        resolve(new Response(isEmpty ? null : body, { status: answer.statusCode ?? 0, headers: given }));
        if (isEmpty) answer.resume();
      },
    );
    out.once('error', reject);
    out.end(typeof init.body === 'string' ? init.body : undefined);
  });
}
