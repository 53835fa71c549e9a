/** The edges of TCP through the proxy: half-closed, reset, never read, by the thousand, over IPv6. */
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { latency } from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { always, dial, echo, HELLO, listen, proxied, serve, talk } from './harness.js';

/** A server whose next connection a test gets to hold. */
async function heldServer(): Promise<{ port: number; next: () => Promise<Socket> }> {
  const arrived: Socket[] = [];
  const port = await serve((socket) => void arrived.push(socket));
  const next = async (): Promise<Socket> => {
    await expect.poll(() => arrived.length).toBeGreaterThan(0);
    return arrived.shift()!;
  };
  return { port, next };
}

test('a client that has ended still hears the server, for as long as the server likes', async () => {
  const { port: upstream, next } = await heldServer();
  const { port } = await proxied(upstream, []);
  const client = dial(port);
  client.end('question');
  const server = await next();
  const { text: asked } = listen(server);
  await once(server, 'end');
  expect(asked()).toBe('question');
  const { text } = listen(client);
  server.write('one, ');
  await expect.poll(text).toBe('one, ');
  server.end('two');
  await once(client, 'end');
  expect(text()).toBe('one, two');
});

test('a server that has ended still hears the client', async () => {
  const { port: upstream, next } = await heldServer();
  const { port } = await proxied(upstream, []);
  const client = dial(port);
  const server = await next();
  server.end('bye');
  const { text: heard } = listen(server);
  const { text } = listen(client);
  await once(client, 'end');
  expect(text()).toBe('bye');
  client.end('one more thing');
  await once(server, 'end');
  expect(heard()).toBe('one more thing');
});

test.each(['client', 'server'] as const)('a reset by the %s is a reset on the other side, not an end', async (who) => {
  const { port: upstream, next } = await heldServer();
  const { port } = await proxied(upstream, []);
  const client = dial(port);
  client.write(HELLO);
  const server = await next();
  await once(server, 'data');
  const [one, other] = who === 'client' ? [client, server] : [server, client];
  const ended: string[] = [];
  other.on('end', () => ended.push('end'));
  other.resume();
  const broken = new Promise<NodeJS.ErrnoException>((resolve) => other.once('error', resolve));
  one.resetAndDestroy();
  expect([(await broken).code, ended]).toEqual(['ECONNRESET', []]);
});

test('a side that never reads stops the other from sending: nothing piles up', async () => {
  const { port: upstream, next } = await heldServer();
  const { port } = await proxied(upstream, [always(latency, { addedMs: 1 }, { phase: 'pre' })]);
  const client = dial(port);
  const server = await next();
  server.pause();
  let taken = 0;
  const block = Buffer.alloc(256 * 1024);
  const pump = (): void => {
    while (taken < 512 * 1024 * 1024) {
      taken += block.length;
      if (!client.write(block)) return;
    }
  };
  client.on('drain', pump);
  pump();
  // It has come to a stop when nothing more was taken for a while.
  let last = -1;
  await expect.poll(() => [last, (last = taken)].every((count) => count === taken), { interval: 300, timeout: 20_000 }).toBe(true);
  expect(taken).toBeLessThan(64 * 1024 * 1024);
  client.end();
  let got = 0;
  for await (const bytes of server) got += (bytes as Buffer).length;
  expect(got).toBe(taken);
});

test('thousands of short connections leave nothing behind', async () => {
  const { port, proxy, journal } = await proxied(await echo(), [always(latency, { addedMs: 0 })]);
  let left = 3000;
  const worker = async (): Promise<void> => {
    while (left-- > 0) expect((await talk(port, [HELLO])).length).toBe(HELLO.length);
  };
  await Promise.all(Array.from({ length: 20 }, worker));
  await expect.poll(() => proxy.connections).toBe(0);
  expect(journal.filter(({ kind }) => kind === 'fault').length).toBe(3000);
}, 60_000);

test('works over IPv6', async () => {
  const { port } = await proxied(await echo('::1'), [], '::1');
  expect(await talk(port, [HELLO], '::1')).toEqual(HELLO);
});

test('a stop resets what is open and frees the port', async () => {
  const { port: upstream, next } = await heldServer();
  const { port, proxy } = await proxied(upstream, []);
  const client = dial(port);
  const { broken } = listen(client);
  await next();
  await proxy.stop();
  await expect.poll(broken).toBe('ECONNRESET');
  await expect(talk(port, [HELLO])).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
