/** The corners: strictness, compression, kept-alive connections, resumed streams, batches, tasks and labels. */
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import * as faults from '@toolquake/sdk/faults';
import { afterEach, expect, test, vi } from 'vitest';
import { startBank } from '../servers/http-bank.mjs';
import { call, initialize, messagesOf, modernCall, open, post, proxied, rule, statesOf, textOf } from './harness.js';
import { rawClient, readMessage } from './raw-sockets.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
}

async function bank(): Promise<Awaited<ReturnType<typeof startBank>>> {
  const started = await startBank();
  stops.push(() => started.stop());
  return started;
}

async function through(...given: Parameters<typeof proxied>): Promise<Awaited<ReturnType<typeof proxied>>> {
  const started = await proxied(...given);
  stops.push(() => started.proxy.stop());
  return started;
}

const broken = {
  ...faults.latency,
  decide: () => {
    throw new Error('broken fault');
  },
};

test('a strict proxy answers 502 when we make a mistake, and the server hears nothing', async () => {
  const server = await bank();
  const onProblem = (error: unknown): void => {
    throw error;
  };
  const { url } = await through(server.url, [rule(broken, { phase: 'pre' })], { onProblem });
  expect((await post(url, call(1, 'refund'))).status).toBe(502);
  expect(server.executions).toBe(0);
});

test('asks for plain bodies when rules are at work, and passes a compressed one untouched', async () => {
  const body = gzipSync(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { content: [] } }));
  const asked: (string | undefined)[] = [];
  const upstream = await serve((request, response) => {
    asked.push(request.headers['accept-encoding']);
    request.resume().on('end', () => response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' }).end(body));
  });
  const { url, journal } = await through(upstream, [rule(faults.partialResult)]);
  const reply = await post(url, call(1, 'echo'), { 'accept-encoding': 'gzip' });
  expect(Buffer.concat(reply.chunks).equals(body)).toBe(true);
  expect(asked).toEqual([undefined]);
  expect(statesOf(journal)[0]).toMatch(/^not-delivered/);
});

test.each([
  ['that nobody delays', []],
  ['that a rule delays', [rule(faults.latency, { params: { addedMs: 1 } })]],
])('passes a compressed stream %s', async (_what, rules) => {
  const body = gzipSync('data: {"jsonrpc":"2.0","id":1,"result":{"content":[]}}\n\n');
  const upstream = await serve((request, response) => {
    request
      .resume()
      .on('end', () => response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Content-Encoding': 'gzip' }).end(body));
  });
  const { url } = await through(upstream, rules, { observesAll: true });
  expect(Buffer.concat((await post(url, call(1, 'echo'))).chunks)).toEqual(body);
});

test('a frozen server reads nothing from connections that were open before', async () => {
  const server = await bank();
  const { port } = await through(server.url, [
    rule(faults.freeze, { params: { forMs: 200 }, when: { tool: ['refund'] }, at: { first: 1 } }),
  ]);
  const ask = (message: unknown): string => {
    const body = JSON.stringify(message);
    return `POST /mcp HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  };
  const socket = await rawClient(port);
  socket.write(ask(call(1, 'echo', { text: 'before' })));
  await readMessage(socket);
  const startedAt = performance.now();
  const trigger = post(`http://127.0.0.1:${port}/mcp`, call(2, 'refund'));
  await vi.waitFor(() => expect(server.executions).toBe(1));
  socket.write(ask(call(3, 'echo', { text: 'during' })));
  const reply = await readMessage(socket);
  expect(performance.now() - startedAt).toBeGreaterThanOrEqual(195);
  expect(reply.body.toString()).toContain('during');
  await trigger;
  socket.destroy();
});

test('an answer on a resumed stream still belongs to its call', async () => {
  let answer: (() => void) | undefined;
  const upstream = await serve((request, response) => {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    if (request.method === 'GET') {
      answer = () => response.end('id: 2\ndata: {"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"late"}]}}\n\n');
      return response.flushHeaders();
    }
    request.resume().on('end', () => response.end('id: 1\ndata:\n\n'));
  });
  const { url, journal } = await through(upstream, [rule(faults.emptyResult)]);
  expect(messagesOf((await post(url, call(1, 'echo'))).body)).toEqual([]);
  const stream = await open(url, 'GET', undefined, { 'last-event-id': '1' });
  answer?.();
  let body = '';
  for await (const chunk of stream) body += String(chunk);
  expect(messagesOf(body)[0]).toMatchObject({ id: 1, result: {} });
  expect(body).not.toContain('late');
  expect(statesOf(journal)).toEqual(['delivered']);
});

test('batches and bytes that are no message pass, and are answered by the server', async () => {
  const seen: string[] = [];
  const upstream = await serve((request, response) => {
    let body = '';
    request
      .on('data', (chunk) => (body += String(chunk)))
      .on('end', () => {
        seen.push(body);
        response.writeHead(400, { 'Content-Type': 'text/html' }).end('<h1>no</h1>');
      });
  });
  const { url, problems } = await through(upstream, [rule(faults.httpStatus, { when: { method: ['*'] } })]);
  for (const body of [[call(1, 'echo')], 'text', null]) {
    const reply = await post(url, body);
    expect([reply.status, reply.body]).toEqual([400, '<h1>no</h1>']);
  }
  expect(seen).toEqual([JSON.stringify([call(1, 'echo')]), '"text"', 'null']);
  expect(problems).toEqual([]);
});

test('the journal names sessions by header, clients by name, and tasks by header', async () => {
  const server = await bank();
  const { url, journal } = await through(server.url, [], { observesAll: true, labelHeader: 'X-Agent', taskHeader: 'X-Task' });
  await post(url, call(1, 'echo', { text: 'a' }), { 'x-agent': 'seven', 'x-task': 'book' });
  await post(url, modernCall(1, 'echo', { text: 'a' }));
  await post(url, call(2, 'echo', { text: 'a' }));
  const calls = journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.session, entry.task, entry.era]] : []));
  expect(calls).toEqual([
    ['seven', 'book', undefined],
    ['agent#1', undefined, 'modern'],
    ['default', undefined, undefined],
  ]);
});

test('a cancel notice of a legacy client is passed on and reaches the fault', async () => {
  const server = await bank();
  const { url, journal } = await through(server.url, [rule(faults.lateAfterCancel, { params: { afterMs: 0 } })]);
  const session = { 'mcp-session-id': String((await post(url, initialize())).headers['mcp-session-id']) };
  const late = post(url, call(1, 'echo', { text: 'late' }), session);
  await vi.waitFor(() => expect(statesOf(journal)).toEqual(['delivered']));
  const notice = await post(url, { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }, session);
  expect(notice.status).toBe(202);
  expect(textOf(messagesOf((await late).body)[0])).toBe('late');
  expect(server.log.at(-1)).toMatchObject({ method: 'notifications/cancelled' });
});
