/** Sockets for tests of the TCP proxy: servers, clients, and the proxy between them. */
import { once } from 'node:events';
import net, { type AddressInfo, type Socket } from 'node:net';
import {
  createLiveDecider,
  EMPTY_PLAN,
  keyedRandom,
  type Fault,
  type JournalEntry,
  type LiveDecider,
  type Rule,
} from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import { onTestFinished } from 'vitest';
import { startTcpProxy, type TcpProxy } from '../../packages/toolquake/src/proxies/tcp-proxy.js';
import { rule } from '../http/harness.js';

export const HELLO = Buffer.from('hello');

/** A rule for a fault, always. */
export const always = (fault: Fault, params: Rule['params'] = {}, change: Partial<Rule> = {}): Rule => rule(fault, { ...change, params });

/** Starts a server that does this with each connection; its port. */
export async function serve(welcome: (socket: Socket) => void, host = '127.0.0.1'): Promise<number> {
  const sockets = new Set<Socket>();
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
    welcome(socket);
  });
  await once(server.listen(0, host), 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** A server that sends back what it gets, and ends when its client has. */
export const echo = (host?: string): Promise<number> => serve((socket) => void socket.pipe(socket), host);

/** A port where nobody listens. */
export async function deadPort(): Promise<number> {
  const taken = net.createServer();
  await once(taken.listen(0, '127.0.0.1'), 'listening');
  const { port } = taken.address() as AddressInfo;
  await new Promise((resolve) => taken.close(resolve));
  return port;
}

/** A running proxy, and what came of it. */
export type Proxied = {
  readonly port: number;
  readonly proxy: TcpProxy;
  readonly decider: LiveDecider;
  readonly journal: JournalEntry[];
  readonly unreachable: string[];
};

/** Starts a proxy with these rules. */
export async function proxied(port: number, rules: readonly Rule[], host = '127.0.0.1'): Promise<Proxied> {
  const journal: JournalEntry[] = [];
  const unreachable: string[] = [];
  const startedAtMs = realClock.nowMs();
  const plan = { ...EMPTY_PLAN, rules };
  const decider = createLiveDecider({ plan, random: keyedRandom(1), transport: 'tcp', startedAtMs });
  const proxy = await startTcpProxy({
    upstream: { host, port },
    host,
    port: 0,
    decider,
    clock: realClock,
    startedAtMs,
    journal: (entry) => journal.push(entry),
    onUnreachable: (why) => unreachable.push(why),
    onProblem: (error) => {
      throw error;
    },
  });
  onTestFinished(() => proxy.stop());
  return { port: proxy.address.port, proxy, decider, journal, unreachable };
}

/** A client. */
export function dial(port: number, host = '127.0.0.1'): Socket {
  const socket = net.connect({ port, host, allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Reads to the end. Rejects with the socket's own error. */
async function readAll(socket: Socket): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of socket) parts.push(part as Buffer);
  return Buffer.concat(parts);
}

/** Sends, ends, and reads to the end. Rejects with the socket's own error. */
export function talk(port: number, chunks: readonly Uint8Array[], host?: string): Promise<Buffer> {
  const socket = dial(port, host);
  for (const chunk of chunks) socket.write(chunk);
  socket.end();
  return readAll(socket);
}

/** What a client has heard so far, and why it broke. */
export function listen(socket: Socket): { readonly text: () => string; readonly broken: () => string | undefined } {
  let text = '';
  let broken: string | undefined;
  socket.on('data', (bytes: Buffer) => (text += bytes.toString('latin1')));
  socket.on('error', (error: NodeJS.ErrnoException) => (broken = error.code));
  return { text: () => text, broken: () => broken };
}
