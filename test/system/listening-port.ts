/** Ports for servers that are yet to start: below those that the kernel hands to connections, so that none takes them meanwhile. */
import { once } from 'node:events';
import { createServer } from 'node:net';

const FIRST = 20_000;
/** Linux gives connections ports from 32768 on. */
const LAST = 32_000;

// Test files run beside each other, each in a process of its own.
let next = FIRST + ((process.pid * 97) % (LAST - FIRST));

/** The first of so many ports in a row where nobody listens; never the same twice in a process. */
export async function listeningPort(inARow = 1): Promise<number> {
  for (;;) {
    if (next + inARow > LAST) next = FIRST;
    const first = next;
    next += inARow;
    const ports = Array.from({ length: inARow }, (_, index) => first + index);
    if ((await Promise.all(ports.map(isFree))).every(Boolean)) return first;
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
    await new Promise((resolve) => server.close(resolve));
    return true;
  } catch {
    return false;
  }
}
