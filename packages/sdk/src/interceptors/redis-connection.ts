/** What breaks below a Redis client: its socket, with the errors that Node gives a socket of its own. */

/** The part of a `net.Socket` that is looked at. */
export type RedisStream = {
  readonly destroyed: boolean;
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
  write(...given: unknown[]): boolean;
  destroy(error?: Error): unknown;
  unref(): unknown;
};

/** Node's own modules, where they are needed: without an import, so that the sdk loads in browsers, too. */
export function nodeModule<Shape>(name: 'net' | 'os' | 'stream'): Shape {
  const { process } = globalThis as { process?: { getBuiltinModule?: (id: string) => unknown } };
  // Whoever asks knows what the module of this name exports.
  return process?.getBuiltinModule?.(`node:${name}`) as Shape;
}

/** A system error as libuv numbers it on this platform. */
function systemError(code: string, syscall: string, about: string, more: object): Error {
  const { constants } = nodeModule<{ constants: { errno: Readonly<Record<string, number>> } }>('os');
  return Object.assign(new Error(`${syscall} ${code}${about}`), { errno: -(constants.errno[code] ?? 0), code, syscall, ...more });
}

/** The server reset the connection. */
const resetError = (): Error => systemError('ECONNRESET', 'read', '', {});

/** Nobody listens there. */
export function refusedError(address: string, port: number): Error {
  return systemError('ECONNREFUSED', 'connect', ` ${address}:${port}`, { address, port });
}

/** Only where there are sockets is there a turn after the one in which their clients write. */
const afterWrites = (action: () => void): void => {
  const { setImmediate } = globalThis as unknown as { setImmediate: (action: () => void) => void };
  setImmediate(() => setImmediate(action));
};

/** Sockets whose end is decided. */
const breaking = new WeakSet<RedisStream>();

/**
 * Breaks a connection. What is written to it from now on is lost; `handOver` gives the client the command that is lost with
 * it, and what the client makes of that is returned. A connection that is being broken is not broken twice.
 */
export function loseConnection<Outcome>(socket: RedisStream | undefined, how: 'reset' | 'end', handOver: () => Outcome): Outcome {
  if (socket === undefined || socket.destroyed) return handOver();
  if (!breaking.has(socket)) {
    breaking.add(socket);
    // The socket is ours to the end: it is not put back what will never be used again.
    socket.write = (...given) => {
      const done = given.at(-1);
      if (typeof done === 'function') queueMicrotask(done as () => void);
      return true;
    };
    // Clients that write in a turn of their own have written by then.
    afterWrites(() => socket.destroy(how === 'reset' ? resetError() : undefined));
  }
  return handOver();
}
