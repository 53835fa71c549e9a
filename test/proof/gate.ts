/** Lets so many programs through at a time. A program connects, is told to go on, and has left when its connection ends. */
import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';

/** A gate on a loopback port. */
export type Gate = { readonly port: number; close(): void };

/** Opens a gate. */
export async function openGate(places: number): Promise<Gate> {
  const waiting: Socket[] = [];
  let taken = 0;
  const admit = (): void => {
    while (taken < places && waiting.length > 0) {
      const next = waiting.shift()!;
      if (next.destroyed) continue;
      taken++;
      next.once('close', () => {
        taken--;
        admit();
      });
      next.write('go');
    }
  };
  const server = createServer((socket) => {
    // A program that is killed resets its connection; it has left, which is all there is to know.
    socket.on('error', () => {});
    socket.resume();
    waiting.push(socket);
    admit();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, close: () => void server.close() };
}
