import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import type { JsonObject } from '@toolquake/sdk/core';
import { expect, onTestFinished, test } from 'vitest';
import { relay } from './relay.js';

test('delays what goes to the dependency, brings it there whole, and leaves from the ports that are spared', async () => {
  const sockets = new Set<Socket>();
  const from: number[] = [];
  const server = createServer((socket) => {
    sockets.add(socket);
    from.push(socket.remotePort ?? 0);
    socket.pipe(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const stop = new AbortController();
  const { port } = server.address() as AddressInfo;
  const spare = { from: 61_000, to: 64_999 };
  const config = { addresses: ['127.0.0.1'], port, delayMs: 120, jitterMs: 0, seed: 1, spare, namespace: null };
  let ended: Promise<void> | undefined;
  const ports = await new Promise<readonly number[]>((resolve) => {
    const emit = (message: JsonObject): void => void (message['kind'] === 'listening' && resolve(message['ports'] as number[]));
    ended = relay.run(config, { env: {}, signal: stop.signal, emit, hostMs: () => performance.now() });
  });
  onTestFinished(async () => {
    stop.abort();
    await ended;
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const startedAt = performance.now();
  const answer = await new Promise<string>((resolve, reject) => {
    let text = '';
    const socket = connect(ports[0]!, '127.0.0.1', () => socket.end('hello'));
    socket.setEncoding('utf8').on('data', (more: string) => (text += more));
    socket.on('error', reject).on('end', () => resolve(text));
  });
  expect(answer).toBe('hello');
  expect(performance.now() - startedAt).toBeGreaterThan(110);
  expect(from[0]).toBeGreaterThanOrEqual(spare.from);
  expect(from[0]).toBeLessThanOrEqual(spare.to);
});
