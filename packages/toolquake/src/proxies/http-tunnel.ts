/**
 * CONNECT to a forward proxy. Clients tunnel plain HTTP too, so what comes through is parsed like any other request; only
 * TLS, which nobody can read without the client's trust, is passed on as bytes, and so is what a server speaks first in.
 */
import net, { type AddressInfo, type Socket } from 'node:net';
import { leadsTo, loopError } from './http-self.js';
import { socketAddress } from './http-target.js';

/** How every TLS connection begins. */
const TLS_HANDSHAKE = 0x16;

/** What a tunnel needs. */
export type TunnelOptions = {
  readonly origin: URL;
  readonly socket: Socket;
  /** Bytes that came right behind the request. */
  readonly head: Buffer;
  readonly door: AddressInfo;
  /** The client speaks HTTP: hand the connection to the parser. */
  readonly onPlain: () => void;
  /** Nothing that we can read: told before anything is passed on. */
  readonly onUnread: (why: 'TLS' | 'server first') => void;
  readonly onFailure: (error: Error) => void;
};

/** How long the client has the first word, before we look whether the server has something to say. */
const CLIENT_FIRST_MS = 250;

/** Accepts the tunnel, and waits for one side to show what is spoken. HTTP and TLS begin with the client. */
export function openTunnel(options: TunnelOptions): void {
  const { socket, head } = options;
  let out: Socket | undefined;
  let isSettled = false;
  const begin = (first: Buffer): void => {
    isSettled = true;
    clearTimeout(listen);
    socket.off('end', giveUp);
    socket.pause();
    socket.unshift(first);
    if (first[0] !== TLS_HANDSHAKE) {
      out?.destroy();
      options.onPlain();
      return;
    }
    options.onUnread('TLS');
    passOn(options, out === undefined || out.destroyed ? connectOut(options) : out);
  };
  const giveUp = (): void => {
    clearTimeout(listen);
    out?.destroy();
    socket.destroy();
  };
  /** The client is silent: it may be waiting for the server, as it does with SMTP, SSH or a database. */
  const listenToServer = (): void => {
    const asked = connectOut(options);
    out = asked;
    // Nobody there is told to a client that says something, in the way it speaks.
    asked.on('error', () => {});
    asked.once('readable', () => {
      if (isSettled || asked.readableLength === 0) return;
      isSettled = true;
      socket.off('data', begin);
      socket.off('end', giveUp);
      socket.pause();
      options.onUnread('server first');
      passOn(options, asked);
    });
  };
  const listen = setTimeout(listenToServer, CLIENT_FIRST_MS);
  socket.once('close', () => {
    clearTimeout(listen);
    out?.destroy();
  });
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) return begin(head);
  socket.once('data', begin);
  socket.once('end', giveUp);
  socket.resume();
}

function connectOut({ origin, door }: TunnelOptions): Socket {
  const out = net.connect({ ...socketAddress(origin), allowHalfOpen: true, noDelay: true });
  out.once('connect', () => {
    if (leadsTo(out, door)) out.destroy(loopError());
  });
  return out;
}

/** Bytes in both directions, each with its own end; whatever breaks one side breaks the other. */
function passOn({ socket, onFailure }: TunnelOptions, out: Socket): void {
  out.once('error', (error) => {
    if (socket.destroyed) return;
    onFailure(error);
    socket.resetAndDestroy();
  });
  socket.once('close', () => out.destroy());
  out.once('close', () => void (socket.writableEnded || socket.destroy()));
  socket.pipe(out);
  out.pipe(socket);
}
