import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { onTestFinished, expect, test } from 'vitest';
import { watchIdleConnections } from './http-codec-node-idle.js';

/** A server that says how long it keeps connections, an agent that is watched, and a clock to turn. */
async function stage(keepAlive?: string) {
  const ports: (number | undefined)[] = [];
  const server = http.createServer((request, response) => {
    ports.push(request.socket.remotePort);
    if (keepAlive !== undefined) response.setHeader('Keep-Alive', keepAlive);
    response.end('x');
  });
  server.keepAliveTimeout = 0;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new http.Agent({ keepAlive: true, scheduling: 'lifo' });
  onTestFinished(() => {
    agent.destroy();
    server.closeAllConnections();
    server.close();
  });
  const clock = { nowMs: 0 };
  const idle = watchIdleConnections(agent, () => clock.nowMs);
  const { port } = server.address() as AddressInfo;
  /** Asks, and resolves when the connection is free again. */
  const ask = async (): Promise<void> => {
    idle.expire();
    const out = http.request({ agent, host: '127.0.0.1', port });
    idle.learn(out);
    out.once('response', (answer) => answer.resume());
    out.end();
    const [socket] = (await once(out, 'socket')) as [Socket];
    await once(socket, 'free');
  };
  return { clock, ask, connections: () => new Set(ports).size };
}

test.each([
  ['timeout=5', 3999, 4000],
  ['timeout=5, max=100', 3999, 4000],
  ['max=100, timeout=20', 18_999, 19_000],
  [undefined, 3999, 4000],
  ['nonsense', 3999, 4000],
])('with "Keep-Alive: %s" a connection is used after %i ms, and no more after %i ms', async (keepAlive, fineMs, lateMs) => {
  const { clock, ask, connections } = await stage(keepAlive);
  await ask();
  clock.nowMs += fineMs;
  await ask();
  expect(connections()).toBe(1);
  clock.nowMs += lateMs;
  await ask();
  expect(connections()).toBe(2);
});

test('a server that gives a second or less is asked over a new connection each time', async () => {
  const { ask, connections } = await stage('timeout=1');
  await ask();
  await ask();
  expect(connections()).toBe(2);
});

test('all that are too old are ended, and the young one is used', async () => {
  const { clock, ask, connections } = await stage('timeout=5');
  await Promise.all([ask(), ask(), ask()]);
  expect(connections()).toBe(3);
  clock.nowMs += 3000;
  await ask();
  clock.nowMs += 3000;
  await ask();
  await ask();
  expect(connections()).toBe(3);
});
