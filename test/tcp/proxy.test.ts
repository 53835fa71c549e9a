/** The TCP proxy on real sockets: what it does not touch is untouched, and faults really happen. */
import { bandwidth, blackhole, connectionDrop, connectionRefused, latency, pace } from '@toolquake/sdk/faults';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { always, deadPort, dial, echo, HELLO, listen, proxied, serve, talk } from './harness.js';

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

test.each(['end', 'reset'] as const)(
  'breaks a connection in the middle of an answer, and what came before it arrives (%s)',
  async (how) => {
    const answer = Buffer.alloc(300_000, 'answer ');
    const upstream = await serve((socket) => void socket.once('data', () => socket.write(answer)));
    const { port, journal } = await proxied(upstream, [always(connectionDrop, { afterBytes: 20_001, how }, { phase: 'post' })]);
    const socket = dial(port);
    const heard: Buffer[] = [];
    socket.on('data', (bytes: Buffer) => heard.push(bytes));
    const broken = new Promise((resolve) => {
      socket.on('error', ({ code }: NodeJS.ErrnoException) => resolve(code)).on('end', () => resolve('end'));
    });
    socket.write(HELLO);
    expect(await broken).toBe(how === 'end' ? 'end' : 'ECONNRESET');
    expect(Buffer.compare(Buffer.concat(heard), answer.subarray(0, 20_001))).toBe(0);
    expect(journal).toMatchObject([{ state: 'delivered', effects: ['forward', 'hold', 'disconnect'] }]);
  },
);

test('leaves a stream alone that is over before so many bytes', async () => {
  const { port, journal } = await proxied(await echo(), [always(connectionDrop, { afterBytes: 6 })]);
  expect(await talk(port, [HELLO])).toEqual(HELLO);
  await expect.poll(() => journal).toMatchObject([{ state: 'not-delivered', why: 'it was closed before it could act' }]);
});

test('a black hole is a silence on an open connection, and nothing is missing after it', async () => {
  const { port, journal } = await proxied(await echo(), [always(blackhole, { forMs: 200 })]);
  const socket = dial(port);
  const { text } = listen(socket);
  const startedAtMs = performance.now();
  socket.write('hel');
  await expect.poll(() => journal).toMatchObject([{ state: 'delivered', effects: ['hold'] }]);
  socket.write('lo');
  expect([text(), socket.readyState]).toEqual(['', 'open']);
  await expect.poll(text).toBe('hello');
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(200);
  // It is over for good on this connection.
  socket.end(' again');
  await expect.poll(text).toBe('hello again');
});

test('turns new connections away while a dependency is down', async () => {
  const { port, journal } = await proxied(await echo(), [always(connectionRefused, { forMs: 60_000 })]);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(journal).toMatchObject([{ state: 'delivered', method: 'connect', exchange: 1 }]);
});

test('resets the client when nobody listens upstream, says why, and lives on', async () => {
  const { port, unreachable } = await proxied(await deadPort(), []);
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNRESET' });
  expect(unreachable[0]).toContain('ECONNREFUSED');
});
