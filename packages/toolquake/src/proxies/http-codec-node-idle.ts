/**
 * Servers hang up on connections that were idle for a while, and a request sent at that moment is lost: a client would see a
 * 502 that it never sees without the proxy. So a connection is left alone a little before its server gives up on it.
 */
import type { Agent, ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { headerOf } from './http-headers.js';

/** How long a connection may have been idle, if its server does not say: as much as the fetch of Node allows. */
const DEFAULT_IDLE_MS = 4000;

/** The end of a connection is on its way for a while before we hear of it. */
const MARGIN_MS = 1000;

/** What `Keep-Alive: timeout=5` allows, less a margin. */
function allowedIdleMs(keepAlive: string | undefined): number {
  const seconds = /(?:^|[,\s])timeout=(\d{1,6})/i.exec(keepAlive ?? '')?.[1];
  return seconds === undefined ? DEFAULT_IDLE_MS : Math.max(0, Number(seconds) * 1000 - MARGIN_MS);
}

/** Keeps an agent (that prefers what was used last) from using connections that were idle for too long. */
export type IdleConnections = {
  /** Ends what is too old; to be called before each request. Looked at when it matters, not on a timer that may be late. */
  expire(): void;
  /** Learns from the answer of a request how long its connection may be idle. */
  learn(request: ClientRequest): void;
};

/** Watches an agent. */
export function watchIdleConnections(agent: Agent, nowMs: () => number): IdleConnections {
  const freedAtMs = new WeakMap<Socket, number>();
  const allowedMs = new WeakMap<Socket, number>();
  agent.on('free', (socket: Socket) => freedAtMs.set(socket, nowMs()));
  return {
    expire() {
      const now = nowMs();
      for (const pool of Object.values(agent.freeSockets)) {
        // The last is the youngest and the one that will be used: once it is fine, the others do not matter.
        for (let at = (pool?.length ?? 0) - 1; at >= 0; at--) {
          const socket = pool![at]!;
          if (socket.destroyed) continue;
          if (now - (freedAtMs.get(socket) ?? now) < (allowedMs.get(socket) ?? DEFAULT_IDLE_MS)) break;
          socket.destroy();
        }
      }
    },
    learn: (request) =>
      void request.once('response', (answer) => {
        if (!allowedMs.has(answer.socket)) allowedMs.set(answer.socket, allowedIdleMs(headerOf(answer.rawHeaders, 'keep-alive')));
      }),
  };
}
