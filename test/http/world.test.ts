/** What the world does to a proxy: broken servers and hostile clients. Nothing crashes, people are told, and the next call works. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import * as faults from '@toolquake/sdk/faults';
import type { Rule } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { call, post, proxied, rule, type Proxied } from './harness.js';
import { rawClient } from './raw-sockets.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const RESULT = '{"jsonrpc":"2.0","id":1,"result":{"content":[]}}';
const FINE = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${RESULT.length}\r\n\r\n${RESULT}`;
const fine = (socket: Socket): void => void socket.write(FINE);

type World = {
  port: number;
  received: string[];
  behave: (socket: Socket) => void;
  /** Comes before all of a request is there. */
  onData: ((socket: Socket) => void) | undefined;
  sockets: Set<Socket>;
};

/** A server that does to each connection that sent something what it is told to do. */
async function world(): Promise<World> {
  const stage: World = { port: 0, received: [], behave: fine, onData: undefined, sockets: new Set() };
  const server = createServer((socket) => {
    stage.sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => stage.sockets.delete(socket));
    let heard = '';
    socket.on('data', (chunk) => {
      stage.received.push(String(chunk));
      heard += String(chunk);
      if (stage.onData !== undefined) return stage.onData(socket);
      // What ends like a call, or like a head without a body, is one.
      if (!heard.endsWith('}}') && !heard.endsWith('\r\n\r\n')) return;
      heard = '';
      stage.behave(socket);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    for (const socket of stage.sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  stage.port = (server.address() as AddressInfo).port;
  return stage;
}

const POSTED = JSON.stringify(call(1, 'echo'));
const ASK = `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${POSTED.length}\r\n\r\n${POSTED}`;

type Heard = { readonly text: string; readonly end: 'reset' | 'closed' | 'open' };

/** Sends bytes and listens until the connection ends, or until what was heard is all that can come. */
function hear(port: number, bytes: string | Uint8Array, isAll: (text: string) => boolean = () => false): Promise<Heard> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    let end: Heard['end'] = 'closed';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (!isAll(text)) return;
      resolve({ text, end: 'open' });
      socket.destroy();
    });
    socket.on('error', () => (end = 'reset'));
    socket.on('end', () => socket.end());
    socket.on('close', () => resolve({ text, end }));
    socket.write(bytes);
  });
}

const isWhole = (text: string): boolean => /\r\n\r\n/.test(text) && (text.endsWith('\n') || text.endsWith('}') || text.endsWith('>'));
const isGateway =
  (reason: RegExp) =>
  ({ text, end }: Heard) => {
    expect(text).toMatch(/^HTTP\/1.1 502 Bad Gateway\r\n/);
    expect(text).toMatch(reason);
    expect(end).toBe('open');
  };
/** Some of it may have come; all of it, politely ended, would be a lie. */
const isBroken = ({ text, end }: Heard): void => {
  expect(end).toBe('reset');
  expect(text).not.toContain('"result":{"content":[]}}');
};
const same =
  (expected: string) =>
  ({ text }: Heard) =>
    expect(text.slice(text.indexOf('\r\n\r\n') + 4)).toBe(expected);

type Case = readonly [name: string, behave: (socket: Socket) => void, check: (heard: Heard) => void];
const HTML = '<!DOCTYPE html><h1>Oops</h1>';
const upstreamCases: readonly Case[] = [
  ['resets before it answers', (socket) => void socket.resetAndDestroy(), isGateway(/ECONNRESET/)],
  ['closes before it answers', (socket) => void socket.end(), isGateway(/ECONNRESET/)],
  ['sends something that is not HTTP', (socket) => void socket.end('SSH-2.0-OpenSSH_9.9\r\n'), isGateway(/HPE_/)],
  ['sends random bytes', (socket) => void socket.end(Buffer.from([0, 255, 1, 254, 13, 10, 13, 10])), isGateway(/HPE_/)],
  [
    'sends a megabyte of header',
    (socket) => void socket.write(`HTTP/1.1 200 OK\r\nX-Big: ${'x'.repeat(1 << 20)}\r\n\r\n`),
    isGateway(/HPE_HEADER_OVERFLOW/),
  ],
  [
    'sends headers without end',
    (socket) => {
      const more = (): void => {
        while (!socket.destroyed && socket.write(`X-More: ${'y'.repeat(1000)}\r\n`));
      };
      socket.on('drain', more).write('HTTP/1.1 200 OK\r\n');
      more();
    },
    isGateway(/HPE_HEADER_OVERFLOW/),
  ],
  [
    'answers with a page',
    (socket) => void socket.write(`HTTP/1.1 500 Oops\r\nContent-Type: text/html\r\nContent-Length: ${HTML.length}\r\n\r\n${HTML}`),
    same(HTML),
  ],
  [
    'closes before the end of a body of known length',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc":'),
    isBroken,
  ],
  [
    'closes inside a chunked body',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{"jso\r\n'),
    isBroken,
  ],
  [
    'closes inside an event stream',
    (socket) =>
      void socket.end('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: {"j\r\n'),
    isBroken,
  ],
  [
    'sends chunks that are none',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n{}\r\n'),
    ({ text, end }) => expect(end === 'reset' || text.includes('502')).toBe(true),
  ],
  [
    'says less than it sends',
    (socket) =>
      void socket.write(
        `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1 200 Smuggled\r\nContent-Length: 1\r\n\r\nx`,
      ),
    same('{}'),
  ],
  [
    'resets in the middle of a body',
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"jsonrpc":');
      // As soon as the proxy has the head: a reset overtakes bytes that nobody has read yet.
      setTimeout(() => socket.resetAndDestroy(), 50);
    },
    isBroken,
  ],
  [
    'says a status that is none',
    (socket) => void socket.write('HTTP/1.1 099 Low\r\nContent-Length: 4\r\n\r\nlow\n'),
    ({ text }) => expect(text).toMatch(/^HTTP\/1.1 502 Low\r\n[^]*\r\n\r\nlow\n$/),
  ],
  [
    'says why in characters that may not be passed on',
    (socket) => void socket.write('HTTP/1.1 200 F\x01i\x7fne\r\nContent-Length: 2\r\n\r\n{}'),
    ({ text }) => expect(text).toMatch(/^HTTP\/1.1 200 Fine\r\n[^]*\r\n\r\n\{\}$/),
  ],
  [
    'goes over to another protocol unasked',
    (socket) => void socket.write('HTTP/1.1 101 Over\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\nhello\n'),
    isGateway(/EUPGRADE/),
  ],
  [
    'sends a body without any length',
    (socket) => void socket.end(`HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n${RESULT}`),
    ({ text }) => expect(text).toContain(RESULT),
  ],
];

describe.each<[string, readonly Rule[]]>([
  ['without a plan', []],
  ['with rules at work', [rule(faults.emptyResult, { when: { tool: ['nobody'] } })]],
])('%s', (_name, rules) => {
  const stage = async (change: { maxFrameBytes?: number } = {}): Promise<Proxied & { server: World; told: string[] }> => {
    const server = await world();
    const told: string[] = [];
    const through = await proxied(`http://127.0.0.1:${server.port}/mcp`, rules, { tell: (line) => told.push(line), ...change });
    stops.push(() => through.proxy.stop());
    return { ...through, server, told };
  };
  const works = async ({ url, server, problems }: Proxied & { server: World }): Promise<void> => {
    server.behave = fine;
    const reply = await post(url, call(1, 'echo'));
    expect([reply.status, reply.body]).toEqual([200, RESULT]);
    expect(problems).toEqual([]);
  };

  test.each(upstreamCases)('a server that %s', async (_case, behave, check) => {
    const staged = await stage();
    staged.server.behave = behave;
    const heard = await hear(staged.port, ASK, check === isBroken ? undefined : isWhole);
    check(heard);
    if (heard.text.includes('502 Bad Gateway'))
      expect(staged.told).toEqual([expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+ could not be asked: /)]);
    await works(staged);
  });

  test('a server that stalls is left when its client leaves', async () => {
    const staged = await stage();
    staged.server.behave = () => {};
    const socket = await rawClient(staged.port);
    socket.write(ASK);
    await expect.poll(() => staged.server.received.join('')).toContain(POSTED);
    socket.destroy();
    await expect.poll(() => staged.server.sockets.size).toBe(0);
    await works(staged);
  });

  test('a client that never reads makes the server wait, and nobody else', async () => {
    const staged = await stage();
    let isFull = false;
    staged.server.behave = (socket) => {
      const size = 64 << 20;
      socket.write(`HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: ${size}\r\n\r\n`);
      isFull = !socket.write(Buffer.alloc(size, ': \n\n'));
      staged.server.behave = fine;
    };
    const socket = await rawClient(staged.port);
    socket.pause();
    socket.write(ASK);
    await expect.poll(() => isFull).toBe(true);
    const [slow] = staged.server.sockets;
    await works(staged);
    expect(slow?.writableLength).toBeGreaterThan(16 << 20);
    socket.destroy();
  });

  test.each([
    ['bytes that are not HTTP', '\x00\x01\x02 nonsense\r\n\r\n', /^HTTP\/1.1 400 /],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\r\n\r\n', /^HTTP\/1.1 400 /],
    [
      'a length and chunks',
      `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'two lengths',
      `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nContent-Length: 44\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a transfer encoding that is none',
      `POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a length that is no number',
      `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 1e1\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    [
      'a header line that is folded',
      `POST /mcp HTTP/1.1\r\nHost: a\r\nTransfer-Encoding:\r\n chunked\r\nX : y\r\n\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n`,
      /^HTTP\/1.1 400 /,
    ],
    ['headers without end', `GET /mcp HTTP/1.1\r\n${`X-More: ${'y'.repeat(1000)}\r\n`.repeat(400)}`, /^HTTP\/1.1 431 |^$/],
  ])('a client that sends %s is refused, and nothing of it reaches the server', async (_case, bytes, expected) => {
    const staged = await stage();
    const heard = await hear(staged.port, Buffer.from(bytes, 'latin1'));
    expect(heard.text).toMatch(expected);
    expect(staged.server.received.join('')).not.toContain('smuggled');
    await works(staged);
  });

  test('three thousand headers reach the other side, both ways, and nobody insists on a Host', async () => {
    const staged = await stage();
    const many = Array.from({ length: 3000 }, (_, index) => `X-${index}: ${index}\r\n`).join('');
    staged.server.behave = (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${many}Content-Length: 2\r\n\r\n{}`);
    const heard = await hear(staged.port, ASK.replace('Host: a\r\n', many), (text) => text.endsWith('{}'));
    expect(heard.text).toContain(many);
    expect(staged.server.received.join('')).toContain(many);
    expect(staged.server.received.join('')).not.toMatch(/^host:/im);
    await works(staged);
  });

  test('a server that resets while a large body is still on its way is a bad gateway, and the client may go on sending', async () => {
    const staged = await stage({ maxFrameBytes: 1000 });
    staged.server.onData = (socket) => void socket.resetAndDestroy();
    const socket = await rawClient(staged.port);
    const answered = new Promise<string>((resolve) => socket.once('data', (chunk) => resolve(String(chunk))));
    const large = JSON.stringify(call(1, 'echo', { text: 'x'.repeat(200_000) }));
    socket.write(ASK.replace(String(POSTED.length), String(large.length)).replace(POSTED, large.slice(0, 2000)));
    expect(await answered).toMatch(/^HTTP\/1.1 502 /);
    for (let at = 2000; at < 20_000; at += 1000) await new Promise((sent) => socket.write(large.slice(at, at + 1000), sent));
    staged.server.onData = undefined;
    await works(staged);
    socket.destroy();
  });

  test('clients that send a byte now and then cost nobody else anything', async () => {
    const staged = await stage();
    const slow = await Promise.all(Array.from({ length: 50 }, () => rawClient(staged.port)));
    for (const socket of slow) socket.write('POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n{');
    await works(staged);
    for (const socket of slow) socket.destroy();
    await works(staged);
  });

  test('any bytes from a client, and any bytes from a server, are survived', async () => {
    const staged = await stage();
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            'HTTP/1.1 200 OK',
            'HTTP/1.1 009 \x7f\r\n',
            'HTTP/1.1 101 Over\r\nUpgrade: chat\r\nConnection: upgrade\r\n\r\n',
            'GET / HTTP/1.1',
            'POST /mcp HTTP/1.1',
            '\r\n',
            'Host: a',
            'Content-Length: 3',
            'Transfer-Encoding: chunked',
            '0',
            '{}',
            '\r\n\r\n',
            'Content-Type: text/event-stream',
            'data: {',
            '\n\n',
            '[',
            '\0',
          ),
          { maxLength: 14 },
        )
        .map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(bytes, bytes, async (asked, answered) => {
        staged.server.behave = (socket) => void socket.end(answered);
        await Promise.all([talk(staged.port, Buffer.from(asked)), talk(staged.port, Buffer.from(ASK))]);
        await works(staged);
      }),
      { numRuns: 60 },
    );
  });
});

/** Says something, ends, and waits until the other side has done so too. */
function talk(port: number, bytes: Buffer): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const leave = setTimeout(() => socket.destroy(), 200);
    socket.on('error', () => {}).on('data', () => {});
    socket.on('close', () => {
      clearTimeout(leave);
      resolve();
    });
    socket.on('end', () => socket.end());
    socket.end(bytes);
  });
}
