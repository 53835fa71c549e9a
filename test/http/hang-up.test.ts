/** Clients that hang up: a cancellation in the modern era; in the legacy era none, and the call ends when no answer can come. */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as faults from '@toolquake/sdk/faults';
import { realClock } from '@toolquake/sdk/interceptors';
import { afterEach, expect, test } from 'vitest';
import { startBank } from '../servers/http-bank.mjs';
import { call, initialize, messagesOf, modernCall, open, post, proxied, rule, type Proxied } from './harness.js';

const stops: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

async function bank(): Promise<Awaited<ReturnType<typeof startBank>>> {
  const started = await startBank();
  stops.push(() => started.stop());
  return started;
}

async function through(...given: Parameters<typeof proxied>): Promise<Proxied> {
  const started = await proxied(...given);
  stops.push(() => started.proxy.stop());
  return started;
}

const oneAtATime = [rule(faults.concurrencyLimit, { params: { max: 1, mode: 'reject' } })];
const outcomes = ({ journal }: Proxied): unknown[] =>
  journal.flatMap((entry) => (entry.kind === 'call' ? [[entry.id, entry.outcome]] : []));
/** Posts and hangs up as soon as the server has the call. */
async function hangUp(url: string, message: unknown, headers: Record<string, string>, hasArrived: () => boolean): Promise<void> {
  const leaving = new AbortController();
  const gone = expect(post(url, message, headers, leaving.signal)).rejects.toThrow();
  await expect.poll(hasArrived).toBe(true);
  leaving.abort();
  await gone;
}

test('a modern client that hangs up cancels: the server hears of it at once, and the place is free', async () => {
  const server = await bank();
  const proxy = await through(server.url, oneAtATime);
  await hangUp(proxy.url, modernCall(1, 'echo', { wait: true }), {}, () => server.waiting === 1);
  await expect.poll(() => server.aborted).toEqual([1]);
  await expect.poll(() => outcomes(proxy)).toEqual([[1, 'cancelled']]);
  expect(messagesOf((await post(proxy.url, modernCall(2, 'echo', { text: 'b' }))).body)[0]).toMatchObject({ id: 2, result: {} });
});

test('a legacy call whose answer can no longer come is over, and gives its place back', async () => {
  const server = await bank();
  const proxy = await through(server.url, oneAtATime);
  const session = { 'mcp-session-id': String((await post(proxy.url, initialize())).headers['mcp-session-id']) };
  await hangUp(proxy.url, call(1, 'echo', { wait: true }), session, () => server.waiting === 1);
  await expect.poll(() => outcomes(proxy)).toEqual([[1, 'no-answer']]);
  expect(messagesOf((await post(proxy.url, call(2, 'echo', { text: 'b' }), session)).body)[0]).toMatchObject({ id: 2, result: {} });
});

/** A server that numbers its events: answers come when they are asked for, on the stream that is open then. */
async function resumable(): Promise<{ url: string; streams: ServerResponse[] }> {
  const streams: ServerResponse[] = [];
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      response.writeHead(200, { 'Content-Type': 'text/event-stream' });
      response.write('id: 0\ndata:\n\n');
      streams.push(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`, streams };
}

const answer = (id: number): string => `id: 1\ndata: {"jsonrpc":"2.0","id":${id},"result":{"content":[]}}\n\n`;

test('a legacy call that can be resumed stays open, and is answered on the new stream', async () => {
  const { url, streams } = await resumable();
  const proxy = await through(url, oneAtATime);
  const first = await open(proxy.url, 'POST', JSON.stringify(call(1, 'echo')), { 'mcp-session-id': 'a' });
  first.on('error', () => {});
  first.destroy();
  await expect.poll(() => streams[0]?.destroyed).toBe(true);
  expect(outcomes(proxy)).toEqual([]);
  const again = await open(proxy.url, 'GET', undefined, { 'mcp-session-id': 'a', 'last-event-id': '0' });
  streams[1]!.end(answer(1));
  again.resume();
  await expect.poll(() => outcomes(proxy)).toEqual([[1, 'ok']]);
});

test('nobody comes back for it: the call is over after a while', async () => {
  const { url, streams } = await resumable();
  const waits: { readonly afterMs: number; readonly act: () => void }[] = [];
  const clock: typeof realClock = {
    nowMs: () => realClock.nowMs(),
    schedule(afterMs, act) {
      if (afterMs < 10_000) return realClock.schedule(afterMs, act);
      waits.push({ afterMs, act });
      return () => {};
    },
  };
  const proxy = await through(url, oneAtATime, { clock });
  const first = await open(proxy.url, 'POST', JSON.stringify(call(1, 'echo')), { 'mcp-session-id': 'a' });
  first.on('error', () => {});
  first.destroy();
  await expect.poll(() => streams[0]?.destroyed).toBe(true);
  await expect.poll(() => waits.map(({ afterMs }) => afterMs)).toEqual([60_000]);
  expect(outcomes(proxy)).toEqual([]);
  waits[0]!.act();
  expect(outcomes(proxy)).toEqual([[1, 'no-answer']]);
});

test('a session that ends takes its calls with it', async () => {
  const { url, streams } = await resumable();
  const proxy = await through(url, oneAtATime);
  const first = await open(proxy.url, 'POST', JSON.stringify(call(1, 'echo')), { 'mcp-session-id': 'a' });
  first.on('error', () => {});
  first.destroy();
  await expect.poll(() => streams[0]?.destroyed).toBe(true);
  const ended = await open(proxy.url, 'DELETE', undefined, { 'mcp-session-id': 'a' });
  ended.on('error', () => {});
  ended.destroy();
  await expect.poll(() => outcomes(proxy)).toEqual([[1, 'no-answer']]);
});

test.each([
  ['answer', 'post' as const],
  ['request', 'pre' as const],
])('a session that ends does not leave a caller waiting for an %s that a rule holds', async (_what, phase) => {
  const server = await bank();
  const proxy = await through(server.url, [rule(faults.latency, { phase, params: { addedMs: 600_000 } })]);
  const session = { 'mcp-session-id': String((await post(proxy.url, initialize())).headers['mcp-session-id']) };
  const held = expect(post(proxy.url, call(1, 'echo', { text: 'a' }), session)).rejects.toThrow();
  await expect.poll(() => proxy.proxy.performer.fired.get('latency')).toBe(1);
  expect((await open(proxy.url, 'DELETE', undefined, session)).statusCode).toBe(200);
  await held;
  expect(outcomes(proxy)).toEqual([[1, 'no-answer']]);
});
