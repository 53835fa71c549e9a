/** Faults on a real wire: what a raw client sees of them. */
import { once } from 'node:events';
import { connect } from 'node:net';
import * as faults from '@toolquake/sdk/faults';
import type { JsonObject, Rule } from '@toolquake/sdk/core';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { startBank } from '../servers/http-bank.mjs';
import { call, initialize, messagesOf, modernCall, open, post, proxied, rule, statesOf, textOf, type Proxied } from './harness.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

type Bank = Awaited<ReturnType<typeof startBank>>;

async function stage(...rules: Rule[]): Promise<Proxied & { bank: Bank }> {
  const bank = await startBank();
  stops.push(() => bank.stop());
  const through = await proxied(bank.url, rules);
  stops.push(() => through.proxy.stop());
  return { ...through, bank };
}

const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code;

describe.each(['json', 'sse'])('an answer as %s', (as) => {
  const echo = (id: number, text: string, more: JsonObject = {}): JsonObject => call(id, 'echo', { text, as, ...more });

  test('latency delays its own call only', async () => {
    // Long enough that three other calls are answered meanwhile on any machine, however busy.
    const addedMs = 2000;
    const { url } = await stage(rule(faults.latency, { params: { addedMs }, at: { first: 1 } }));
    const startedAt = performance.now();
    const order: string[] = [];
    const slow = post(url, echo(1, 'slow')).then(() => void order.push('slow'));
    const fast = Promise.all([2, 3, 4].map((id) => post(url, echo(id, 'fast')))).then(() => void order.push('fast'));
    await Promise.all([slow, fast]);
    expect(order).toEqual(['fast', 'slow']);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(addedMs);
  });

  test('lost-ack leaves the caller waiting although the work was done', async () => {
    const { url, bank, journal } = await stage(rule(faults.lostAck));
    const giveUp = new AbortController();
    const lost = post(url, call(1, 'refund', { as }), {}, giveUp.signal);
    await vi.waitFor(() => expect(statesOf(journal)).toEqual(['delivered']));
    expect(bank.executions).toBe(1);
    giveUp.abort();
    await expect(lost).rejects.toThrow('abort');
  });

  test('a reset is a real one', async () => {
    const { url, bank } = await stage(rule(faults.lostAck, { params: { mode: 'reset' } }));
    const error = await post(url, call(1, 'refund', { as })).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(codeOf(error)).toBe('ECONNRESET');
    expect(bank.executions).toBe(1);
  });

  test('double-execute asks the server twice and answers once', async () => {
    const { url, bank } = await stage(rule(faults.doubleExecute));
    const reply = await post(url, call(1, 'refund', { as }));
    expect(messagesOf(reply.body)).toHaveLength(1);
    await vi.waitFor(() => expect(bank.executions).toBe(2));
  });

  test('cross-wire swaps the results of two calls, and each keeps its id', async () => {
    const { url, bank, journal } = await stage(rule(faults.crossWire));
    const first = post(url, echo(1, 'one', { wait: true }));
    const second = post(url, echo(2, 'two', { wait: true }));
    await vi.waitFor(() => expect(bank.waiting).toBe(2));
    bank.release();
    bank.release();
    const [one, two] = await Promise.all([first, second]);
    expect([one, two].map(({ body }) => messagesOf(body).map((message) => [message['id'], textOf(message)]))).toEqual([
      [[1, 'two']],
      [[2, 'one']],
    ]);
    expect(statesOf(journal)).toEqual(['delivered', 'delivered']);
  });

  test('pace splits characters across chunks, and the whole is the same', async () => {
    const direct = await stage();
    const text = 'é✓𐍈'.repeat(5);
    const plain = await post(direct.bank.url, echo(1, text));
    const { url } = await stage(rule(faults.pace, { params: { sliceBytes: 1, everyMs: 1 } }));
    const reply = await post(url, echo(1, text));
    expect(messagesOf(reply.body)).toEqual(messagesOf(plain.body));
    expect(reply.chunks.length).toBeGreaterThan(20);
    expect(reply.chunks.some((chunk) => chunk.toString().includes('\ufffd'))).toBe(true);
    expect(reply.headers['content-length']).toBe(plain.headers['content-length']);
  });

  test('heartbeat-only sends comments and never the result', async () => {
    const { url } = await stage(rule(faults.heartbeatOnly, { params: { everyMs: 10, count: 1000 } }));
    const response = await open(url, 'POST', JSON.stringify(echo(1, 'never')));
    expect(response.headers['content-type']).toContain('text/event-stream');
    let body = '';
    for await (const chunk of response) {
      body += String(chunk);
      if (body.split(': keepalive\n\n').length > 5) break;
    }
    expect(messagesOf(body)).toEqual([]);
  });

  test('freeze stops every byte both ways, also for new connections', async () => {
    const { url } = await stage(rule(faults.freeze, { params: { forMs: 200 }, at: { first: 1 } }));
    const startedAt = performance.now();
    const frozen = post(url, echo(1, 'one'));
    const later = post(url, echo(2, 'two'));
    const ends = await Promise.all([frozen, later].map((one) => one.then(() => performance.now() - startedAt)));
    for (const afterMs of ends) expect(afterMs).toBeGreaterThanOrEqual(195);
    expect(messagesOf((await later).body)).toHaveLength(1);
  });

  test('an edited answer has the right length and keeps the rest of its headers', async () => {
    const { url } = await stage(rule(faults.emptyResult));
    const reply = await post(url, echo(1, 'something'));
    const [message] = messagesOf(reply.body).filter((one) => 'id' in one);
    expect(textOf(message)).not.toBe('something');
    if (as === 'json') expect(reply.headers['content-length']).toBe(String(Buffer.byteLength(reply.body)));
    else expect(reply.body).toMatch(/^id: prime\ndata:\n\nid: 7\nevent: message\ndata: /);
  });

  test('list-changed-storm comes with the call where no other stream is open', async () => {
    const { url } = await stage(rule(faults.listChangedStorm, { params: { everyMs: 1, count: 3 } }));
    const reply = await post(url, echo(1, 'hello'));
    const messages = messagesOf(reply.body);
    expect(messages[0]).toMatchObject({ method: 'notifications/tools/list_changed' });
    expect(textOf(messages.find((message) => message['id'] === 1))).toBe('hello');
  });
});

test('http-status and rate-limit answer in the place of the server', async () => {
  const { url, bank } = await stage(
    rule(faults.httpStatus, { when: { tool: ['echo'] }, params: { status: 503, body: 'html' } }),
    rule(faults.rateLimit, { when: { tool: ['refund'] } }),
  );
  const refused = await post(url, call(1, 'echo', { text: 'x' }));
  expect([refused.status, refused.headers['content-type']]).toEqual([503, 'text/html']);
  const limited = await post(url, call(2, 'refund'));
  expect([limited.status, limited.headers['retry-after'], limited.headers['content-type']]).toEqual([429, '30', 'application/json']);
  expect(messagesOf(limited.body)).toMatchObject([{ id: 2, error: { code: -32000 } }]);
  expect(bank.log).toEqual([]);
});

test('session-lost says 404 until the client initialises anew', async () => {
  const { url } = await stage(rule(faults.sessionLost, { at: { first: 1 } }));
  const hello = async (): Promise<Record<string, string>> => {
    const { headers } = await post(url, initialize());
    return { 'mcp-session-id': String(headers['mcp-session-id']) };
  };
  const lost = await hello();
  expect((await post(url, call(1, 'echo', { text: 'x' }), lost)).status).toBe(404);
  expect((await post(url, { jsonrpc: '2.0', id: 2, method: 'tools/list' }, lost)).status).toBe(404);
  const fresh = await hello();
  expect((await post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' }, fresh)).status).toBe(200);
  expect((await post(url, { jsonrpc: '2.0', id: 3, method: 'tools/list' }, lost)).status).toBe(404);
});

test('list-changed-storm arrives on the GET stream of its own session', async () => {
  const { url } = await stage(rule(faults.listChangedStorm, { params: { everyMs: 1, count: 4 } }));
  const session = { 'mcp-session-id': String((await post(url, initialize())).headers['mcp-session-id']) };
  const stream = await open(url, 'GET', undefined, session);
  const reply = await post(url, call(1, 'echo', { text: 'x' }), session);
  expect(messagesOf(reply.body)).toHaveLength(1);
  let body = '';
  for await (const chunk of stream) {
    body += String(chunk);
    if (messagesOf(body).length === 4) break;
  }
  expect(messagesOf(body)).toEqual(Array(4).fill({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }));
});

test('connection-refused refuses for real, and recovers on the same port', async () => {
  const { url, port } = await stage(rule(faults.connectionRefused, { params: { forMs: 200 }, at: { first: 1 } }));
  const attempt = async (): Promise<string | undefined> => {
    const socket = connect(port, '127.0.0.1');
    const [how] = (await Promise.race([once(socket, 'error'), once(socket, 'connect').then(() => once(socket, 'close'))]).catch(
      (error: unknown) => [error],
    )) as [unknown];
    socket.destroy();
    return codeOf(how);
  };
  await attempt();
  expect(await attempt()).toBe('ECONNREFUSED');
  await vi.waitFor(async () => expect((await post(url, call(1, 'echo', { text: 'back' }))).status).toBe(200), {
    timeout: 5000,
    interval: 20,
  });
});

test('late-after-cancel finds nobody left to answer in the modern era', async () => {
  const { url, bank, journal } = await stage(rule(faults.lateAfterCancel, { params: { afterMs: 0 } }));
  const giveUp = new AbortController();
  const cancelled = post(url, modernCall(1, 'echo', { text: 'late', as: 'json' }), {}, giveUp.signal);
  await vi.waitFor(() => expect(statesOf(journal)).toEqual(['delivered']));
  giveUp.abort();
  await expect(cancelled).rejects.toThrow('abort');
  await vi.waitFor(() => expect(journal.filter((entry) => entry.kind === 'call')).toMatchObject([{ outcome: 'cancelled', era: 'modern' }]));
  expect(bank.log).toHaveLength(1);
});

test('a client that hangs up is heard of upstream at once', async () => {
  const { url, bank } = await stage(rule(faults.latency, { when: { tool: ['other'] } }));
  const giveUp = new AbortController();
  const cancelled = post(url, modernCall(5, 'echo', { wait: true }), {}, giveUp.signal);
  await vi.waitFor(() => expect(bank.waiting).toBe(1));
  giveUp.abort();
  await expect(cancelled).rejects.toThrow('abort');
  await vi.waitFor(() => expect(bank.aborted).toEqual([5]));
});

test('a body over the limit passes, and faults that would edit it say why they did not', async () => {
  const bank = await startBank();
  stops.push(() => bank.stop());
  const { url, proxy, journal } = await proxied(bank.url, [rule(faults.emptyResult)], { maxFrameBytes: 2000 });
  stops.push(() => proxy.stop());
  const text = 'x'.repeat(100_000);
  for (const as of ['json', 'sse']) {
    const reply = await post(url, call(1, 'echo', { text, as }));
    expect(textOf(messagesOf(reply.body).at(-1))).toBe(text);
  }
  expect(statesOf(journal)).toHaveLength(2);
  for (const state of statesOf(journal)) expect(state).toContain('too large');
});

test('our own mistake never breaks the traffic', async () => {
  const broken = {
    ...faults.latency,
    decide: () => {
      throw new Error('broken fault');
    },
  };
  const { url, problems } = await stage(rule(broken));
  expect((await post(url, call(1, 'echo', { text: 'x' }))).status).toBe(200);
  expect(problems.length).toBeGreaterThan(0);
});
