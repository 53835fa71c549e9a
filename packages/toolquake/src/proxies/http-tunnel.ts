/**
 * CONNECT to a forward proxy. Clients tunnel plain HTTP too, so what comes through is parsed like any other request; only
 * TLS, which nobody can read without the client's trust, is passed on as bytes.
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
  /** The client speaks TLS: told before anything is passed on. */
  readonly onSecret: () => void;
  readonly onFailure: (error: Error) => void;
};

/** Accepts the tunnel, and waits for the client to show what it speaks. */
export function openTunnel(options: TunnelOptions): void {
  const { socket, head } = options;
  const begin = (first: Buffer): void => {
    socket.off('end', giveUp);
    socket.pause();
    socket.unshift(first);
    if (first[0] !== TLS_HANDSHAKE) return options.onPlain();
    options.onSecret();
    passOn(options);
  };
  const giveUp = (): void => void socket.destroy();
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
  if (head.length > 0) return begin(head);
  socket.once('data', begin);
  socket.once('end', giveUp);
  socket.resume();
}

/** Bytes in both directions, each with its own end; whatever breaks one side breaks the other. */
function passOn({ origin, socket, door, onFailure }: TunnelOptions): void {
  const out = net.connect({ ...socketAddress(origin), allowHalfOpen: true, noDelay: true });
  out.once('connect', () => {
    if (leadsTo(out, door)) out.destroy(loopError());
  });
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
