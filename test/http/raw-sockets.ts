/** HTTP by hand: a server that answers with given bytes, and a client that sends them, with nothing in between that could tidy up. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A head and a body off the wire. */
export type Parsed = {
  readonly start: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: Buffer;
  /** Lines after a chunked body, as they came. */
  readonly trailers?: string;
};

/** Writes chunks one by one, each in a packet of its own. */
export async function writeChunks(socket: Socket, chunks: readonly Buffer[]): Promise<void> {
  for (const chunk of chunks) {
    await new Promise<void>((resolve) => socket.write(chunk, () => setImmediate(resolve)));
  }
}

/** Reads one message: head, and body by length or chunks. */
export function readMessage(socket: Socket): Promise<Parsed> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    const onData = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const parsed = parse(bytes);
      if (parsed === undefined) return;
      socket.off('data', onData);
      resolve(parsed);
    };
    socket.on('data', onData);
    socket.setMaxListeners(0);
    socket.once('error', reject);
    socket.once('close', () => reject(new Error(`closed after ${JSON.stringify(bytes.toString('latin1'))}`)));
  });
}

function parse(bytes: Buffer): Parsed | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [start = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  if (/^HTTP\/1\.1 1\d\d/.test(start)) return parse(bytes.subarray(end + 4));
  const headers = lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()] as const);
  const value = (name: string): string | undefined => headers.find(([given]) => given.toLowerCase() === name)?.[1];
  const rest = bytes.subarray(end + 4);
  if (value('transfer-encoding') === 'chunked') {
    const body = unchunk(rest);
    return body === undefined ? undefined : { start, headers, ...body };
  }
  const length = Number(value('content-length') ?? 0);
  return rest.length < length ? undefined : { start, headers, body: rest.subarray(0, length) };
}

function unchunk(bytes: Buffer): { readonly body: Buffer; readonly trailers: string } | undefined {
  const parts: Buffer[] = [];
  for (let at = 0; ;) {
    const end = bytes.indexOf('\r\n', at);
    if (end === -1) return undefined;
    const size = Number.parseInt(bytes.subarray(at, end).toString('latin1'), 16);
    if (size === 0) {
      const over = bytes.indexOf('\r\n\r\n', end);
      return over === -1 ? undefined : { body: Buffer.concat(parts), trailers: bytes.subarray(end + 2, over + 2).toString('latin1') };
    }
    if (bytes.length < end + 2 + size + 2) return undefined;
    parts.push(bytes.subarray(end + 2, end + 2 + size));
    at = end + 2 + size + 2;
  }
}

/** A body as HTTP chunks. */
export const httpChunks = (parts: readonly Buffer[]): Buffer[] => [
  ...parts
    .filter((part) => part.length > 0)
    .map((part) => Buffer.concat([Buffer.from(`${part.length.toString(16)}\r\n`), part, Buffer.from('\r\n')])),
  Buffer.from('0\r\n\r\n'),
];

/** A server that hands each connection's first message to `answer`. */
export async function rawServer(
  answer: (request: Parsed, socket: Socket) => void,
): Promise<{ url: string; connections: number; stop(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, (socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    const hear = async (): Promise<void> => {
      for (;;) answer(await readMessage(socket), socket);
    };
    hear().catch(() => {});
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    get connections() {
      return sockets.size;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A connected client socket. */
export function rawClient(port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true }, () => resolve(socket));
    socket.once('error', reject);
  });
}
