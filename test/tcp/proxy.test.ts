/** The TCP proxy on real sockets: what it does not touch is untouched, and faults really happen. */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import { createDecider, EMPTY_PLAN, keyedRandom, type Fault, type JournalEntry, type Rule } from '@toolquake/sdk/core';
import { bandwidth, blackhole, connectionDrop, connectionRefused, latency, pace } from '@toolquake/sdk/faults';
import { realClock } from '@toolquake/sdk/interceptors';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { startTcpProxy } from '../../packages/toolquake/src/proxies/tcp-proxy.js';
import { rule } from '../http/harness.js';

const stops: (() => unknown)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

/** A server that sends back what it gets, and ends when its client has. */
async function echo(): Promise<number> {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => void socket.on('error', () => {}).pipe(socket));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  stops.push(() => server.close());
  return (server.address() as AddressInfo).port;
}

async function proxied(port: number, rules: readonly Rule[]): Promise<{ port: number; journal: JournalEntry[]; unreachable: string[] }> {
  const journal: JournalEntry[] = [];
  const unreachable: string[] = [];
  const startedAtMs = realClock.nowMs();
  const proxy = await startTcpProxy({
    upstream: { host: '127.0.0.1', port },
    host: '127.0.0.1',
    port: 0,
    decider: createDecider({ plan: { ...EMPTY_PLAN, rules }, random: keyedRandom(1), transport: 'tcp', startedAtMs }),
    clock: realClock,
    startedAtMs,
    journal: (entry) => journal.push(entry),
    onUnreachable: (why) => unreachable.push(why),
    onProblem: (error) => {
      throw error;
    },
  });
  stops.push(() => proxy.stop());
  return { port: proxy.address.port, journal, unreachable };
}

function dial(port: number): Socket {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  stops.push(() => socket.destroy());
  return socket;
}

/** Sends, ends, and reads to the end. Rejects with the socket's own error. */
async function talk(port: number, chunks: readonly Uint8Array[]): Promise<Buffer> {
  const socket = dial(port);
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

const always = (fault: Fault, params: Rule['params'] = {}, change: Partial<Rule> = {}): Rule => rule(fault, { ...change, params });
const HELLO = Buffer.from('hello');

test('passes any bytes in any chunks, and an end after them, in both directions', async () => {
  const { port } = await proxied(await echo(), []);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 2000 }), { maxLength: 8 }), async (chunks) => {
      expect(Buffer.compare(await talk(port, chunks), Buffer.concat(chunks))).toBe(0);
    }),
    { numRuns: 40 },
  );
});

test('passes more than it would ever hold', async () => {
  const { port } = await proxied(await echo(), []);
  const large = Buffer.alloc(16 * 1024 * 1024, 'large');
  expect(Buffer.compare(await talk(port, [large]), large)).toBe(0);
});

test.each([
  ['latency with jitter', always(latency, { addedMs: 5, jitterMs: 30 })],
  ['bandwidth', always(bandwidth, { kilobytesPerSecond: 1000 })],
  ['slices', always(pace, { sliceBytes: 7, everyMs: 1 }, { phase: 'pre' })],
])('keeps every byte in its order under %s, and says once that it fired', async (_name, one) => {
  const { port, journal } = await proxied(await echo(), [one]);
  const chunks = Array.from({ length: 20 }, (_, index) => Buffer.alloc(97, index));
  expect(Buffer.compare(await talk(port, chunks), Buffer.concat(chunks))).toBe(0);
  expect(journal.filter(({ kind }) => kind === 'fault')).toMatchObject([{ state: 'delivered', exchange: 1, method: 'stream' }]);
});

test('resets a connection for real, and only the one that was drawn', async () => {
  const { port } = await proxied(await echo(), [always(connectionDrop, {}, { at: { nth: [2] } })]);
  expect(await talk(port, [HELLO])).toEqual(HELLO);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(await talk(port, [HELLO])).toEqual(HELLO);
});

test('swallows bytes and leaves the connection open', async () => {
  const { port, journal } = await proxied(await echo(), [always(blackhole)]);
  const socket = dial(port);
  const heard: unknown[] = [];
  socket.on('data', (bytes) => heard.push(bytes));
  socket.write(HELLO);
  await expect.poll(() => journal).toMatchObject([{ state: 'delivered', effects: ['hold'] }]);
  expect([heard, socket.destroyed, socket.readyState]).toEqual([[], false, 'open']);
});

test('turns new connections away while a dependency is down', async () => {
  const { port, journal } = await proxied(await echo(), [always(connectionRefused, { forMs: 60_000 })]);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(journal).toMatchObject([{ state: 'delivered', method: 'connect', exchange: 1 }]);
});

test('resets the client when nobody listens upstream, says why, and lives on', async () => {
  const taken = net.createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port: gone } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  const { port, unreachable } = await proxied(gone, []);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(unreachable[0]).toContain('ECONNREFUSED');
});
