/**
 * The client's side of the proxy: a listener that can refuse, freeze and reset for real, in front of the HTTP codec.
 * Listening and parsing are kept apart, so that a refusing proxy can stop listening while its open connections live on.
 */
import net, { type AddressInfo, type Socket } from 'node:net';
import { ToolquakeError, type Clock } from '@toolquake/sdk/core';
import { nodeCodec } from './http-codec-node.js';
import type { HttpIncoming, HttpResponse } from './http-codec.js';

/** What the front door is told. */
export type FrontDoorOptions = {
  readonly host: string;
  readonly port: number;
  readonly clock: Clock;
  /** A client connected; nothing was read yet. False turns it away. */
  readonly onConnect: () => boolean;
  readonly onRequest: (request: HttpIncoming, response: HttpResponse) => void;
  /** A client asked for a tunnel (CONNECT); `parse` reads requests from inside it. Absent: nobody gets one. */
  readonly onTunnel?: ((tunnel: AskedTunnel) => void) | undefined;
};

/** A tunnel that a client asked for; nothing was answered yet. */
export type AskedTunnel = { readonly authority: string; readonly socket: Socket; readonly head: Buffer; parse(): void };

/** An open front door. */
export type FrontDoor = {
  readonly address: AddressInfo;
  /** Stops listening, and listens again on the same port after a while. */
  refuseFor(forMs: number): void;
  /** Resets every connection, and refuses new ones for a while. */
  crashFor(forMs: number): void;
  /** Accepts, reads nothing and writes nothing for a while. */
  freezeFor(forMs: number): void;
  /** Ends every refusal and freeze now. */
  reopen(): void;
  /** Stops listening and cuts every connection. */
  close(): Promise<void>;
};

/** How long a client may take for its last bytes when the proxy stops. */
const CLOSE_WITHIN_MS = 250;

/** Opens the front door; rejects with `PORT_TAKEN` when somebody else listens there. */
export async function openFrontDoor(options: FrontDoorOptions): Promise<FrontDoor> {
  const { clock, host } = options;
  const sockets = new Set<Socket>();
  /** Connections that came during a freeze; undefined when there is none. */
  let frozen: Socket[] | undefined;
  let thaws: (() => void)[] = [];
  let freezes = 0;
  let refusals = 0;
  let isClosed = false;

  const { admit } = nodeCodec.accept({
    onRequest: options.onRequest,
    onConnect(authority, socket, head) {
      if (options.onTunnel === undefined) refuseTunnel(socket, '405 Method Not Allowed', 'This is no forward proxy.');
      else options.onTunnel({ authority, socket, head, parse: () => admit(socket) });
    },
  });

  const welcome = (socket: Socket): void => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (!options.onConnect()) socket.resetAndDestroy();
    else if (frozen !== undefined) frozen.push(socket);
    else admit(socket);
  };

  const listen = async (port: number): Promise<net.Server> => {
    const server = net.createServer({ allowHalfOpen: true, noDelay: true, pauseOnConnect: true }, welcome);
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ port, host, backlog: 1024 }, resolve);
    });
    return server;
  };

  let listener: net.Server | undefined = await listen(options.port).catch((error: unknown) => {
    throw cannotListen(error, options);
  });
  const address = listener.address() as AddressInfo;

  const listenAgain = (): void => {
    listen(address.port).then(
      (server) => {
        if (isClosed) server.close();
        else listener = server;
      },
      // Somebody took the port meanwhile: keep trying, because the clients know no other.
      () => void clock.schedule(100, () => void (isClosed || listenAgain())),
    );
  };

  const thaw = (): void => {
    const arrived = frozen ?? [];
    frozen = undefined;
    for (const thawOne of thaws) thawOne();
    thaws = [];
    for (const socket of arrived) if (!socket.destroyed) admit(socket);
  };

  /** Refusals and freezes that were ended before their time no longer count when it comes. */
  let reopenings = 0;
  const laterUnlessReopened = (forMs: number, action: () => void): void => {
    const before = reopenings;
    clock.schedule(forMs, () => void (before === reopenings && action()));
  };

  const refuseFor = (forMs: number): void => {
    refusals++;
    listener?.close();
    listener = undefined;
    laterUnlessReopened(forMs, () => {
      refusals--;
      if (refusals === 0 && !isClosed) listenAgain();
    });
  };

  return {
    address,
    refuseFor,
    crashFor(forMs) {
      refuseFor(forMs);
      for (const socket of sockets) socket.resetAndDestroy();
    },
    freezeFor(forMs) {
      freezes++;
      if (frozen === undefined) {
        frozen = [];
        thaws = [...sockets].map(stopSocket);
      }
      laterUnlessReopened(forMs, () => {
        freezes--;
        if (freezes === 0 && !isClosed) thaw();
      });
    },
    reopen() {
      if (isClosed) return;
      reopenings++;
      const wasRefusing = refusals > 0;
      refusals = 0;
      freezes = 0;
      thaw();
      if (wasRefusing) listenAgain();
    },
    async close() {
      isClosed = true;
      const server = listener;
      const closed = server === undefined ? undefined : new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of frozen ?? []) socket.destroy();
      frozen = undefined;
      thaw();
      // What is on its way still goes out, but a client that does not read must not keep us.
      for (const socket of sockets) socket.destroySoon();
      const giveUp = clock.schedule(CLOSE_WITHIN_MS, () => {
        for (const socket of sockets) socket.destroy();
      });
      await closed;
      giveUp();
    },
  };
}

/** Answers a CONNECT that leads nowhere. */
export function refuseTunnel(socket: Socket, status: string, why: string): void {
  const body = `${why}\n`;
  socket.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`);
  socket.once('finish', () => socket.destroy());
}

/** Stops a connection in both directions, whoever writes to it (corking would not do: Node uncorks when a response ends). */
function stopSocket(socket: Socket): () => void {
  const held: (() => void)[] = [];
  const { _write, _writev } = net.Socket.prototype;
  socket.pause();
  socket._write = (chunk, encoding, callback) => void held.push(() => _write.call(socket, chunk, encoding, callback));
  socket._writev = (chunks, callback) => void held.push(() => _writev?.call(socket, chunks, callback));
  return () => {
    Reflect.deleteProperty(socket, '_write');
    Reflect.deleteProperty(socket, '_writev');
    for (const write of held) write();
    socket.resume();
  };
}

/** The error for a port that cannot be listened on. */
export function cannotListen(cause: unknown, { host, port }: { host: string; port: number }): ToolquakeError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === 'EADDRINUSE') {
    return new ToolquakeError('PORT_TAKEN', {
      message: `Port ${port} on ${host} is in use.`,
      advice: `Choose another one with --port, or --port 0 for any free port.`,
      cause,
    });
  }
  const reason = code === 'EACCES' ? 'not allowed' : cause instanceof Error ? cause.message : String(cause);
  return new ToolquakeError('PORT_TAKEN', {
    message: `Cannot listen on ${host}, port ${port}: ${reason}.`,
    advice: 'Choose another --port or --host; 127.0.0.1 with --port 0 always works.',
    cause,
  });
}
