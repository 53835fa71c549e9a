/** HTTP besides messages: errors, challenges, compression, cut lines; hostile clients of a replay; a disk that is full. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { recordHttp } from '../../packages/toolquake/src/operations/record-http.js';
import { startReplayServer, type ReplayServer } from '../../packages/toolquake/src/operations/replay-http.js';
import { createDesk } from '../cli/harness.js';
import { call, initialize, messagesOf, modernCall, open, post } from '../http/harness.js';
import { start } from '../stdio/harness.js';
import { listening, recording } from './harness.js';

const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup();
});

async function serve(
  handle: (
    message: { id?: unknown; method?: string; params?: { name?: string } },
    response: ServerResponse,
    request: IncomingMessage,
  ) => void,
): Promise<string> {
  const listener: RequestListener = (request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += String(chunk)));
    request.on('end', () => handle(body === '' ? {} : (JSON.parse(body) as object), response, request));
  };
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

type Recording = { readonly url: string; readonly out: string; readonly told: string[]; stop(): Promise<{ isComplete: boolean }> };

async function recorded(upstream: string, out = join(createDesk().folder, 'rec.jsonl')): Promise<Recording> {
  const stopping = new AbortController();
  const told: string[] = [];
  let url = '';
  let done: Promise<{ isComplete: boolean }> | undefined;
  await new Promise<void>((resolve, reject) => {
    done = recordHttp({
      outPath: out,
      upstream,
      host: '127.0.0.1',
      port: 0,
      signal: stopping.signal,
      tell: (line) => told.push(line),
      onListening: (at) => {
        ({ url } = at);
        resolve();
      },
    });
    done.catch(reject);
  });
  const stop = (): Promise<{ isComplete: boolean }> => (stopping.abort(), done!);
  cleanups.push(stop);
  return { url, out, told, stop };
}

async function replayed(out: string): Promise<ReplayServer & { readonly told: string[] }> {
  const told: string[] = [];
  const server = await startReplayServer({ path: out, port: 0, timing: 'none', exhausted: 'repeat', tell: (line) => told.push(line) });
  cleanups.push(() => server.stop());
  return { ...server, told };
}

const json = (response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}): void =>
  void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));

test('errors of HTTP come back with their status, headers and body', async () => {
  const url = await serve(({ id, params }, response, request) => {
    if (request.method === 'DELETE') return json(response, 405, { error: 'no' }, { allow: 'POST' });
    if (request.url?.startsWith('/.well-known')) return json(response, 200, { resource: 'https://shop.example' });
    switch (params?.name) {
      case 'busy':
        return void response.writeHead(429, { 'retry-after': '7', 'set-cookie': 'sid=abcdef' }).end('slow down');
      case 'private':
        return json(
          response,
          401,
          {},
          { 'www-authenticate': 'Bearer resource_metadata="https://shop.example/.well-known/x", scope="a b"' },
        );
      case 'broken':
        return void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Down</h1>');
      case 'lost':
        return json(response, 404, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } });
      case 'mismatch':
        return json(response, 400, { jsonrpc: '2.0', id, error: { code: -32020, message: 'Header mismatch' } });
      case 'cut':
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write('data: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n', () =>
          response.socket?.resetAndDestroy(),
        );
        return;
      default:
        return json(response, 200, { jsonrpc: '2.0', id, result: { content: [] } });
    }
  });
  const record = await recorded(url);
  const ask = async (at: string): Promise<unknown[]> => {
    const seen: unknown[] = [];
    for (const name of ['busy', 'private', 'broken', 'lost', 'mismatch', 'fine', 'cut']) {
      const reply = await post(at, modernCall(5, name)).catch((error: NodeJS.ErrnoException) => error.code);
      if (typeof reply !== 'object') seen.push([name, reply]);
      else seen.push([name, reply.status, reply.body, reply.headers['retry-after'], reply.headers['www-authenticate']]);
    }
    const removed = await open(at, 'DELETE', undefined, { 'mcp-session-id': 'x' });
    seen.push(removed.statusCode, removed.headers.allow);
    removed.resume();
    const metadata = await open(new URL('/.well-known/oauth-protected-resource', at).href, 'GET', undefined);
    seen.push(metadata.statusCode, String(await metadata.setEncoding('utf8').toArray()));
    return seen;
  };
  const live = await ask(record.url);
  expect(live).toEqual(await ask(url));
  expect(await record.stop()).toEqual({ isComplete: true });
  expect(readFileSync(record.out, 'utf8')).not.toContain('abcdef');
  const replay = await replayed(record.out);
  expect(await ask(replay.url)).toEqual(live);
  expect(live[0]).toEqual(['busy', 429, 'slow down', '7', undefined]);
  expect(live[6]).toEqual(['cut', 'ECONNRESET']);
  expect(replay.unmatched()).toBe(0);
});

test('a compressed answer reaches the client compressed, and the recording plain', async () => {
  const url = await serve(({ id }, response) => {
    const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text: 'squeezed' }] } }));
    response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(body);
  });
  const record = await recorded(url);
  const reply = await post(record.url, call(1, 'x'), { 'accept-encoding': 'gzip' });
  expect(reply.headers['content-encoding']).toBe('gzip');
  await record.stop();
  const replay = await replayed(record.out);
  expect((await post(replay.url, call(9, 'x'))).body).toBe(
    '{"jsonrpc":"2.0","id":9,"result":{"content":[{"type":"text","text":"squeezed"}]}}',
  );
});

test('notifications come in the stream that they came in, and progress under the token of who asks', async () => {
  const url = await serve(({ id }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('id: prime\ndata:\n\n: comment\n\n');
    response.write(
      'event: message\r\ndata: {"jsonrpc":"2.0","method":"notifications/progress",\r\ndata: "params":{"progressToken":"t","progress":1}}\r\n\r\n',
    );
    response.end(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result: {} })}\n\n`);
  });
  const record = await recorded(url);
  const asking = (id: number, progressToken: unknown) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name: 'x', _meta: { progressToken } },
  });
  await post(record.url, asking(1, 't'));
  await record.stop();
  const replay = await replayed(record.out);
  const reply = await post(replay.url, asking(4, 'mine'));
  expect(reply.headers['content-type']).toBe('text/event-stream');
  expect(messagesOf(reply.body)).toEqual([
    { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 'mine', progress: 1 } },
    { jsonrpc: '2.0', id: 4, result: {} },
  ]);
});

test('an answer that is too large passes whole, leaves a note, and becomes an error in the replay', async () => {
  const text = 'x'.repeat(9 * 1024 * 1024);
  const url = await serve(({ id, params }, response) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: { content: [{ type: 'text', text }] } });
    const isStream = params?.name === 'stream';
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? `data: ${body}\n\n` : body);
  });
  const record = await recorded(url);
  for (const name of ['json', 'stream']) expect((await post(record.url, modernCall(1, name))).body.length).toBeGreaterThan(text.length);
  await record.stop();
  expect(readFileSync(record.out).length).toBeLessThan(10_000);
  const replay = await replayed(record.out);
  for (const name of ['json', 'stream'])
    expect(messagesOf((await post(replay.url, modernCall(3, name))).body)).toMatchObject([{ id: 3, error: { code: -32603 } }]);
  expect(replay.told.join()).toContain('too large');
});

test('a call that was under way when the recording stopped is left out, and its client is cut', async () => {
  let arrived = (): void => {};
  const waiting = new Promise<void>((resolve) => (arrived = resolve));
  const url = await serve(() => arrived());
  const record = await recorded(url);
  const asked = post(record.url, modernCall(1, 'x')).catch((error: NodeJS.ErrnoException) => error.code);
  await waiting;
  // The server may have the last bytes of a request before the recorder has written it down.
  await expect.poll(() => readFileSync(record.out, 'utf8')).toContain('tools/call');
  await record.stop();
  expect(await asked).toBe('ECONNRESET');
  const replay = await replayed(record.out);
  expect(replay.told).toEqual(['1 recorded requests have no answer and are left out.']);
});

test('an upstream that is not there is recorded as what the client saw, and traffic passes on when the disk is full', async () => {
  if (!existsSync('/dev/full')) throw new Error('this test needs /dev/full');
  const gone = await recorded('http://127.0.0.1:1/mcp');
  const live = await post(gone.url, modernCall(1, 'x'));
  expect(live.status).toBe(502);
  await gone.stop();
  const replay = await replayed(gone.out);
  expect(await post(replay.url, modernCall(2, 'x'))).toMatchObject({ status: 502, body: live.body });

  const url = await serve(({ id }, response) => json(response, 200, { jsonrpc: '2.0', id, result: {} }));
  const full = await recorded(url, '/dev/full');
  for (const id of [1, 2, 3]) expect((await post(full.url, call(id, 'x'))).status).toBe(200);
  expect(await full.stop()).toEqual({ isComplete: false });
  expect(full.told.join()).toContain('/dev/full stopped: ENOSPC');
});

test('exit codes say that a recording is incomplete, over both transports', async () => {
  const url = await serve(({ id }, response) => json(response, 200, { jsonrpc: '2.0', id, result: {} }));
  const record = await listening('record', '--out', '/dev/full', '--upstream', url, '--port', '0');
  expect((await post(record.url, call(1, 'x'))).status).toBe(200);
  expect(await record.stop()).toBe(3);
  const { client, exited } = start(recording('/dev/full', [process.execPath, '-e', 'process.stdin.pipe(process.stdout)']));
  client.send({ id: 1, method: 'ping' });
  await client.line((message) => message?.id === 1);
  client.end();
  expect(await exited).toEqual({ code: 3, signal: null });
});

test.each([
  [['record', '--out', 'x.jsonl'], 'nothing to record'],
  [['record', '--out', 'x.jsonl', '--upstream', 'http://127.0.0.1:1/', '--', 'true'], 'two servers'],
  [['record', '--out', 'x.jsonl', '--port', '1', '--', 'true'], '--port has no meaning'],
  [['record', '--out', 'x.jsonl', '--upstream', 'ftp://x'], 'is no http or https URL'],
  [['record', '--out', 'no/such/x.jsonl', '--upstream', 'http://127.0.0.1:1/'], 'cannot be written'],
])('%j is refused, and no file is left', async (words, why) => {
  const desk = createDesk();
  const run = await desk.run(words);
  expect([2, 3]).toContain(run.code);
  expect(run.stderr).toContain(why);
  expect(desk.files()).toEqual([]);
});

async function bank(): Promise<ReplayServer & { readonly told: string[] }> {
  const out = join(createDesk().folder, 'rec.jsonl');
  const line = (direction: string, message: unknown): string =>
    JSON.stringify({ v: 1, atMs: 0, session: 'r', direction, message: JSON.stringify(message) });
  const lines = [
    JSON.stringify({ v: 1, kind: 'start', atMs: 0, session: 'r', transport: 'stdio', startedAt: '' }),
    line('to-server', initialize(0)),
    line('to-client', { jsonrpc: '2.0', id: 0, result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'bank' } } }),
    line('to-server', call(1, 'a')),
    line('to-client', { jsonrpc: '2.0', id: 1, result: { content: [] } }),
  ];
  writeFileSync(out, `${lines.join('\n')}\n`);
  return replayed(out);
}

test('a replay of a stdio recording has sessions: opened, listened to once, ended', async () => {
  const { url } = await bank();
  const hello = await post(url, initialize());
  const session = { 'mcp-session-id': String(hello.headers['mcp-session-id']) };
  expect((await post(url, { jsonrpc: '2.0', method: 'notifications/initialized' }, session)).status).toBe(202);
  const stream = await open(url, 'GET', undefined, session);
  expect(stream.statusCode).toBe(200);
  expect((await open(url, 'GET', undefined, session)).statusCode).toBe(409);
  expect((await post(url, call(2, 'a'), session)).status).toBe(200);
  expect((await open(url, 'DELETE', undefined, session)).statusCode).toBe(200);
  expect(await stream.toArray()).toEqual([]);
  expect((await post(url, call(3, 'a'), session)).status).toBe(404);
  expect((await open(url, 'GET', undefined, session)).statusCode).toBe(404);
});

test('hostile clients get an error each, and the next one an answer', async () => {
  const replay = await bank();
  const { url } = replay;
  const raw = async (body: string, headers: Record<string, string> = {}) => (await open(url, 'POST', body, headers)).statusCode;
  expect(await raw('{')).toBe(400);
  expect(await raw('')).toBe(400);
  expect(await raw('[]')).toBe(400);
  expect(await raw('7')).toBe(400);
  expect(await raw('{}')).toBe(200);
  expect(await raw('{"id":{},"method":7,"params":[]}')).toBe(200);
  expect(await raw(JSON.stringify(call(1, 'a')), { host: 'evil.example' })).toBe(403);
  expect(await raw(JSON.stringify(call(1, 'a')), { origin: 'https://evil.example' })).toBe(403);
  expect(await raw(JSON.stringify(call(1, 'a')), { 'mcp-session-id': 'made-up' })).toBe(404);
  expect(await raw(`"${'x'.repeat(9 * 1024 * 1024)}"`)).toBe(413);
  expect((await open(new URL('/elsewhere', url).href, 'POST', '{}')).statusCode).toBe(404);
  expect((await open(url, 'PUT', '{}')).statusCode).toBe(404);
  const batch = await post(url, [call(1, 'a'), { jsonrpc: '2.0', method: 'notifications/x' }, 7, call('2' as unknown as number, 'a')]);
  expect(messagesOf(`${batch.body.startsWith('[') ? '' : batch.body}`)).toEqual([]);
  expect(JSON.parse(batch.body)).toMatchObject([{ id: 1 }, { error: { code: -32600 } }, { id: '2' }]);
  // Half a request, and gone.
  const socket = connect(replay.port, '127.0.0.1');
  await new Promise((resolve) => socket.write('POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{', resolve));
  socket.destroy();
  expect((await post(url, call(3, 'a'))).body).toBe('{"jsonrpc":"2.0","id":3,"result":{"content":[]}}');
});

test('a rule fires on a replay over HTTP, the journal tells, and what was not recorded exits 1', async () => {
  const desk = createDesk({ 'plan.yaml': 'version: 1\nrules:\n  - id: broken\n    fault: tool-error\n    when: { tool: a }\n' });
  const out = join(desk.folder, 'rec.jsonl');
  const url = await serve(({ id }, response) => json(response, 200, { jsonrpc: '2.0', id, result: { content: [] } }));
  const record = await recorded(url, out);
  await post(record.url, modernCall(1, 'a'));
  await record.stop();
  const journal = join(desk.folder, 'run.jsonl');
  const replay = await listening('replay', out, '--port', '0', '--plan', join(desk.folder, 'plan.yaml'), '--journal', journal);
  expect(JSON.parse((await post(replay.url, modernCall(1, 'a'))).body)).toMatchObject({ id: 1, result: { isError: true } });
  expect(JSON.parse((await post(replay.url, modernCall(2, 'b'))).body)).toMatchObject({ id: 2, error: { code: -32602 } });
  expect(await replay.stop()).toBe(1);
  expect(replay.stderr()).toContain('no recorded answer for tools/call "b"');
  expect((await desk.run(['report', journal])).code).toBe(0);
});
