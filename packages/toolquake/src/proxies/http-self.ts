/** A proxy that is asked for itself would ask itself for ever: finding out, whatever name it was asked under. */
import type { AddressInfo, Socket } from 'node:net';

/** True when a connection that we opened leads to our own front door. */
export function leadsTo(socket: Socket, door: AddressInfo): boolean {
  if (socket.remotePort !== door.port) return false;
  const remote = plain(socket.remoteAddress ?? '');
  const isEverywhere = door.address === '0.0.0.0' || door.address === '::';
  // Whoever listens everywhere is met at every address of this machine; a connection to oneself starts where it ends.
  return isEverywhere ? remote === plain(socket.localAddress ?? '') || remote.startsWith('127.') : remote === plain(door.address);
}

/** What became of such a connection. */
export function loopError(): NodeJS.ErrnoException {
  return Object.assign(new Error('The proxy was asked for itself.'), { code: 'ELOOP' });
}

function plain(address: string): string {
  return address.replace(/^::ffff:/, '');
}
