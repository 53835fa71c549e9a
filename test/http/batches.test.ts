/** Batches over HTTP: rules meet every message, the client gets one answer, and what no rule touches keeps its bytes. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as faults from '@toolquake/sdk/faults';
import type { JsonObject, Rule } from '@toolquake/sdk/core';
import fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { call, messagesOf, open, post, proxied, rule, statesOf, type Proxied } from './harness.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Form = 'stream' | 'array' | 'one event';
type Message = { id?: number; method?: string; params?: { name: string } };
const answerTo = ({ id, params }: Message): string =>
  `{"jsonrpc":"2.0",  "id":${id},"result":{"content":[{"type":"text","text":"${params?.name}"}]}}`;

/** A legacy server that takes batches, and remembers what it was posted. */
async function server(form: Form): Promise<{ url: string; posted: string[] }> {
  const posted: string[] = [];
  const http = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString();
      posted.push(body);
      const given = JSON.parse(body) as Message | Message[];
      const calls = (Array.isArray(given) ? given : [given]).filter(({ id, method }) => id !== undefined && method !== undefined);
      if (calls.length === 0) return response.writeHead(202).end();
      if (calls.some(({ params }) => params?.name === 'broken')) {
        response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 1000 });
        return response.write('{"jsonrpc"', () => response.destroy());
      }
      const answers = calls.filter(({ params }) => params?.name !== 'forgotten').map(answerTo);
      const array = `[ ${answers.join(' , ')} ]`;
      if (form === 'array')
        return response
          .writeHead(200, { 'Content-Type': 'application/json', 'X-Kept': 'yes' })
          .end(Array.isArray(given) ? array : answers[0]);
      response.writeHead(200, { 'Content-Type': 'text/event-stream', 'X-Kept': 'yes' });
      const events = form === 'stream' || !Array.isArray(given) ? answers : [array];
      response.end(events.map((data, index) => `id: ${index}\ndata: ${data}\n\n`).join(''));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    http.closeAllConnections();
    return new Promise((resolve) => http.close(resolve));
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`, posted };
}

async function stage(form: Form, rules: readonly Rule[]): Promise<Proxied & { direct: string; posted: string[] }> {
  const { url, posted } = await server(form);
  const through = await proxied(url, rules);
  stops.push(() => through.proxy.stop());
  return { ...through, direct: url, posted };
}

const onRefund = { when: { tool: ['refund'] } };
const three = [call(1, 'echo'), call(2, 'refund'), call(3, 'echo')];
const notice = { jsonrpc: '2.0', method: 'notifications/x' };
/** Every message of an answer, whichever form it came in, in the order of ids. */
const answers = (body: string): JsonObject[] =>
  (body.startsWith('[') ? (JSON.parse(body) as JsonObject[]) : messagesOf(body).flat()).toSorted(
    (a, b) => Number(a['id']) - Number(b['id']),
  );
const calls = ({ journal }: Proxied): [unknown, unknown][] =>
  journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.id, entry.outcome]] : []));

describe.each(['stream', 'array', 'one event'] as const)('a server that answers with a %s', (form) => {
  test('any batch that no rule matches passes byte for byte, and so does its answer', async () => {
    const { url, direct, posted } = await stage(form, [rule(faults.errorResponse, { when: { tool: ['nobody'] } })]);
    const message = fc.oneof(
      fc.nat({ max: 50 }).map((id) => call(id, 'echo')),
      fc.constant(notice),
      fc.constant({ jsonrpc: '2.0', id: 1, result: {} }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(message, { maxLength: 6 }), async (list) => {
        posted.length = 0;
        const [plain, proxiedReply] = [await post(direct, list), await post(url, list)];
        expect(posted[1]).toBe(posted[0]);
        expect([proxiedReply.status, proxiedReply.body]).toEqual([plain.status, plain.body]);
        const { date: _a, ...kept } = plain.headers;
        const { date: _b, ...passed } = proxiedReply.headers;
        expect(passed).toEqual(kept);
      }),
      { numRuns: 40 },
    );
  });

  test('an edited answer leaves the others as they were', async () => {
    const { url, posted, journal, ...rest } = await stage(form, [rule(faults.emptyResult, onRefund)]);
    const reply = await post(url, three);
    expect(posted).toEqual([JSON.stringify(three)]);
    expect(answers(reply.body).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(answers(reply.body)[1]).toMatchObject({ result: { content: [] } });
    for (const id of [1, 3]) expect(reply.body).toContain(answerTo({ id, params: { name: 'echo' } }));
    expect(reply.headers['x-kept']).toBe('yes');
    expect(calls({ url, journal, ...rest })).toHaveLength(3);
  });

  test('an error in the place of the server is one of the answers, and the server hears of the others only', async () => {
    const { url, posted } = await stage(form, [rule(faults.errorResponse, onRefund)]);
    const reply = await post(url, three);
    expect(posted.map((body) => JSON.parse(body) as unknown)).toEqual([[three[0], three[2]]]);
    expect(answers(reply.body).map((message) => [message['id'], 'error' in message])).toEqual([
      [1, false],
      [2, true],
      [3, false],
    ]);
  });

  test('a call that is kept for a while is posted alone, and answered with the others', async () => {
    const slow = rule(faults.latency, { ...onRefund, params: { addedMs: 30, jitterMs: 0 }, phase: 'pre' });
    const { url, posted, ...rest } = await stage(form, [slow]);
    const reply = await post(url, three);
    expect(posted.map((body) => JSON.parse(body) as unknown)).toEqual([[three[0], three[2]], three[1]]);
    expect(answers(reply.body).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(calls({ url, ...rest })).toHaveLength(3);
  });

  test('an answer that comes late keeps back no other, and one that is lost keeps the answer open', async () => {
    const { url } = await stage(form, [rule(faults.lostAck, onRefund)]);
    const response = await open(url, 'POST', JSON.stringify(three));
    let body = '';
    response.on('data', (chunk) => (body += String(chunk)));
    await expect.poll(() => answers(body).map(({ id }) => id)).toEqual([1, 3]);
    expect(response.headers['content-type']).toBe('text/event-stream');
    expect(response.complete).toBe(false);
    response.destroy();
  });

  test('a client that reads no streams gets one array, when all of it is there', async () => {
    const slow = rule(faults.latency, { ...onRefund, params: { addedMs: 30, jitterMs: 0 }, phase: 'post' });
    const { url } = await stage('array', [slow]);
    const reply = await post(url, three, { accept: 'application/json' });
    expect(reply.body.startsWith('[')).toBe(true);
    expect(answers(reply.body).map(({ id }) => id)).toEqual([1, 2, 3]);
    expect(Number(reply.headers['content-length'] ?? reply.body.length)).toBe(Buffer.byteLength(reply.body));
  });

  test('a call that is executed twice goes twice in one post', async () => {
    const { url, posted } = await stage(form, [rule(faults.doubleExecute, onRefund)]);
    await post(url, three);
    expect(posted.flatMap((body) => JSON.parse(body) as Message[]).filter(({ id }) => id === 2)).toHaveLength(2);
  });
});

test('a batch that is answered by rules alone never reaches the server', async () => {
  const { url, posted } = await stage('array', [rule(faults.errorResponse)]);
  const reply = await post(url, [call(1, 'echo'), call(2, 'refund')]);
  expect(posted).toEqual([]);
  expect(JSON.parse(reply.body)).toMatchObject([{ id: 1 }, { id: 2 }]);
});

test('a call that the server left out of its array has no answer in the journal, and nobody waits for it', async () => {
  const { url, proxy, ...rest } = await stage('array', [rule(faults.errorResponse, { when: { tool: ['nobody'] } })]);
  const reply = await post(url, [call(1, 'echo'), call(2, 'forgotten')]);
  expect(answers(reply.body).map(({ id }) => id)).toEqual([1]);
  await expect.poll(() => proxy.performer.waiting().exchanges).toBe(0);
  expect(calls({ url, proxy, ...rest })).toEqual([
    [1, 'ok'],
    [2, 'no-answer'],
  ]);
});

test('calls of a batch that were kept for a while, and whose own answers break off, are over', async () => {
  const slow = rule(faults.latency, { when: { tool: ['broken'] }, params: { addedMs: 1, jitterMs: 0 }, phase: 'pre' });
  const { url, proxy, ...rest } = await stage('array', [slow]);
  await expect(post(url, [call(1, 'broken'), call(2, 'broken')])).rejects.toThrow();
  await expect.poll(() => proxy.performer.waiting().exchanges).toBe(0);
  expect(calls({ url, proxy, ...rest }).toSorted((one, other) => Number(one[0]) - Number(other[0]))).toEqual([
    [1, 'no-answer'],
    [2, 'no-answer'],
  ]);
});

test('one message of a batch has no status of its own', async () => {
  const { url, journal, posted } = await stage('array', [rule(faults.httpStatus, { ...onRefund, params: { status: 503 } })]);
  const reply = await post(url, three);
  expect(reply.status).toBe(200);
  expect(posted).toEqual([JSON.stringify(three)]);
  expect(statesOf(journal)).toEqual(['not-delivered: one message of a batch has no status of its own']);
});

test('a cut line is cut for the whole batch, and the server still does the rest of it', async () => {
  const { url, posted } = await stage('array', [rule(faults.connectionDrop, { ...onRefund, phase: 'pre' })]);
  await expect(post(url, three)).rejects.toThrow(/ECONNRESET|hang up/);
  await expect.poll(() => posted.map((body) => JSON.parse(body) as unknown)).toEqual([[three[0], three[2]]]);
});

test('hostile batches pass whole', async () => {
  const { url, posted, problems } = await stage('array', [rule(faults.errorResponse)]);
  const many = `[${'{"jsonrpc":"2.0","method":"a"},'.repeat(100_000)}{}]`;
  for (const body of ['[]', '[[[]]]', `[[${JSON.stringify(call(1, 'echo'))}]]`, many]) {
    const response = await open(url, 'POST', body);
    expect(response.resume().statusCode).toBe(202);
    expect(posted.at(-1)).toBe(body);
  }
  expect(problems).toEqual([]);
});
