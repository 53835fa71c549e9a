/**
 * The TCP proxy: bytes in, the same bytes out, in both directions, for whatever a server depends on. Half-closed
 * connections stay half-closed, an end or a reset on one side is one on the other, and a slow reader slows its writer.
 */
import net, { type AddressInfo, type Socket } from 'node:net';
import {
  createStreamPerformer,
  opposite,
  type Clock,
  type Decider,
  type Direction,
  type Exchange,
  type JournalSink,
  type StreamPerformer,
} from '@toolquake/sdk/core';
import { cannotListen } from './http-front-door.js';

/** What the proxy works with. */
export type TcpProxyOptions = {
  readonly upstream: { readonly host: string; readonly port: number };
  readonly host: string;
  readonly port: number;
  readonly decider: Decider;
  readonly clock: Clock;
  readonly journal: JournalSink;
  readonly startedAtMs: number;
  readonly target?: string | undefined;
  /** The local port of the next connection upstream; the system chooses unless told otherwise. */
  readonly localPort?: (() => number) | undefined;
  /** The upstream could not be reached, or went away: why. */
  readonly onUnreachable: (why: string) => void;
  /** Our own mistakes. Throwing here resets the connection at hand. */
  readonly onProblem: (error: unknown) => void;
};

/** A running proxy. */
export type TcpProxy = {
  readonly address: AddressInfo;
  /** Its `release` also takes new connections again. */
  readonly performer: StreamPerformer;
  /** How many clients are connected. */
  readonly connections: number;
  /** Stops listening and cuts every connection. */
  stop(): Promise<void>;
};

/** More bytes than this that wait in one direction: the sender is not read from until half of them are gone. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Bytes that a fault let pass get this long to leave before a reset throws them away. */
const FLUSH_MS = 1000;

/** A client and the connection upstream that was made for it. */
type Pair = { readonly client: Socket; readonly server: Socket };

/** Starts listening; rejects with `PORT_TAKEN` when somebody else listens there. */
export async function startTcpProxy(options: TcpProxyOptions): Promise<TcpProxy> {
  const { clock, host } = options;
  const pairs = new Map<Exchange, Pair>();
  let arriving: { isTurnedAway: boolean } | undefined;
  let refusedUntilMs = -Infinity;

  /** Where the bytes of a direction come from, or go to. */
  const source = (direction: Direction, stream: Exchange): Socket | undefined =>
    pairs.get(stream)?.[direction === 'to-server' ? 'client' : 'server'];
  const sink = (direction: Direction, stream: Exchange): Socket | undefined => source(opposite(direction), stream);

  const reset = (stream: Exchange): void => {
    pairs.get(stream)?.client.resetAndDestroy();
    pairs.get(stream)?.server.resetAndDestroy();
  };

  const performer = createStreamPerformer({
    ...options,
    ends: {
      send(bytes, direction, stream) {
        const to = sink(direction, stream);
        if (to?.writable === true && !to.write(bytes)) source(direction, stream)?.pause();
      },
      finish: (direction, stream) => void sink(direction, stream)?.end(),
      waiting(bytes, direction, stream) {
        const from = source(direction, stream);
        if (bytes > MAX_WAITING_BYTES) from?.pause();
        else if (bytes <= MAX_WAITING_BYTES / 2 && sink(direction, stream)?.writableNeedDrain === false) from?.resume();
      },
      disconnect(how, forMs, exchange) {
        if (arriving !== undefined) {
          arriving.isTurnedAway = true;
          refusedUntilMs = Math.max(refusedUntilMs, clock.nowMs() + forMs);
          return undefined;
        }
        const pair = exchange === undefined ? undefined : pairs.get(exchange);
        if (exchange === undefined || pair === undefined) return 'the connection is gone';
        if (how !== 'end') {
          resetBehind(pair.client, clock);
          resetBehind(pair.server, clock);
        } else {
          pair.client.destroySoon();
          pair.server.destroySoon();
        }
        return undefined;
      },
      release() {
        refusedUntilMs = -Infinity;
      },
    },
  });

  const attach = (stream: Exchange, socket: Socket, direction: Direction): void => {
    socket.on('data', (bytes: Buffer) => {
      try {
        performer.bytes(stream, direction, bytes);
      } catch {
        // Told already, and the proxy is about to stop.
        reset(stream);
      }
    });
    socket.on('end', () => performer.end(stream, direction));
    socket.on('drain', () => source(opposite(direction), stream)?.resume());
    // An error of a socket is a connection that broke: the other side is to see the same.
    socket.on('error', () => reset(stream));
    socket.on('close', () => {
      const pair = pairs.get(stream);
      if (pair === undefined || !pair.client.destroyed || !pair.server.destroyed) return;
      pairs.delete(stream);
      performer.close(stream);
    });
  };

  const welcome = (client: Socket): void => {
    client.on('error', () => {});
    if (clock.nowMs() < refusedUntilMs) return void client.resetAndDestroy();
    const connecting = { isTurnedAway: false };
    arriving = connecting;
    let stream: Exchange;
    try {
      stream = performer.open();
    } catch {
      // Told already, and the proxy is about to stop.
      return void client.resetAndDestroy();
    } finally {
      arriving = undefined;
    }
    if (connecting.isTurnedAway) {
      performer.close(stream);
      client.resetAndDestroy();
      return;
    }
    const local = options.localPort === undefined ? {} : { localPort: options.localPort() };
    const server = net.connect({ ...options.upstream, ...local, allowHalfOpen: true, noDelay: true });
    let isConnected = false;
    server.once('connect', () => (isConnected = true));
    server.once('error', (error) => void (isConnected || options.onUnreachable(error.message)));
    pairs.set(stream, { client, server });
    attach(stream, client, 'to-server');
    attach(stream, server, 'to-client');
    client.resume();
  };

  const listener = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, welcome);
  await new Promise<void>((resolve, reject) => {
    listener.once('error', (error) => reject(cannotListen(error, options)));
    listener.listen({ port: options.port, host, backlog: 1024 }, resolve);
  });
  return {
    address: listener.address() as AddressInfo,
    performer,
    get connections() {
      return pairs.size;
    },
    async stop() {
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()));
      for (const stream of pairs.keys()) reset(stream);
      await closed;
    },
  };
}

/** Resets a connection once what was sent on it is out, which a reset would throw away. */
function resetBehind(socket: Socket, clock: Clock): void {
  if (socket.writableLength === 0) return void socket.resetAndDestroy();
  const giveUp = clock.schedule(FLUSH_MS, () => socket.resetAndDestroy());
  socket.once('close', giveUp);
  socket.write('', () => socket.resetAndDestroy());
}
