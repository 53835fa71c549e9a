/** HTTP as Node has it, by its shape alone: nothing here imports a built-in, so that bundles for other runtimes stay whole. */
import { joinBytes } from '../core/event-stream.js';

/** A connection that can be broken. */
export type BreakableSocket = { destroy(): unknown; resetAndDestroy?(): unknown };

/** What is used of an `http.IncomingMessage`, and of what Express and Fastify add to it. */
export type NodeRequest = {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  /** Express: the address before a router cut it. */
  readonly originalUrl?: string | undefined;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  /** A body that somebody has parsed. */
  readonly body?: unknown;
  readonly complete: boolean;
  readonly destroyed: boolean;
  readonly readableFlowing: boolean | null;
  readonly readableEncoding: string | null;
  readonly readableLength: number;
  readonly socket: BreakableSocket & { readonly remoteAddress?: string | undefined };
  read(): unknown;
  unshift(chunk: Uint8Array): void;
  on(event: 'readable' | 'close' | 'error', listener: () => void): unknown;
  removeListener(event: 'readable' | 'close' | 'error', listener: () => void): unknown;
};

/** What is used of an `http.ServerResponse`. */
export type NodeResponse = {
  readonly headersSent: boolean;
  readonly destroyed: boolean;
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown;
  destroy(): unknown;
  flushHeaders(): void;
  write(text: string): boolean;
  end(body?: string): unknown;
  on(event: 'close' | 'drain', listener: () => void): unknown;
  removeListener(event: 'close' | 'drain', listener: () => void): unknown;
};

/** The headers of a request by name, as a Headers object would tell them. */
export function nodeHeaders({ headers }: Pick<NodeRequest, 'headers'>): { get(name: string): string | null } {
  return {
    get(name) {
      const value = headers[name];
      return value === undefined ? null : typeof value === 'string' ? value : value.join(', ');
    },
  };
}

/**
 * Reads what a request has in its body, and puts it back: whoever reads it next finds all of it. Undefined where there is
 * none, where it breaks off, and where somebody else reads already.
 */
export function peekBody(
  request: NodeRequest,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array; readonly isWhole: boolean } | undefined> {
  const length = request.headers['content-length'];
  const isEmpty = length === undefined ? request.headers['transfer-encoding'] === undefined : Number(length) === 0;
  if (isEmpty || request.destroyed || request.readableFlowing !== null || request.readableEncoding !== null)
    return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const parts: Uint8Array[] = [];
    let size = 0;
    const stop = (): void => {
      request.removeListener('readable', onReadable);
      request.removeListener('close', onBroken);
      request.removeListener('error', onBroken);
    };
    const onBroken = (): void => {
      stop();
      resolve(undefined);
    };
    const onReadable = (): void => {
      // Never more often than there is something to read: a read at the end would end the stream before it was put back.
      while (request.readableLength > 0 && size <= maxBytes) {
        const chunk = request.read() as Uint8Array | null; // No encoding is set, so chunks are bytes.
        if (chunk === null) break;
        parts.push(chunk);
        size += chunk.length;
      }
      if (size <= maxBytes && !request.complete) return;
      stop();
      const bytes = joinBytes(parts);
      if (size > 0) request.unshift(bytes);
      resolve({ bytes, isWhole: size <= maxBytes });
    };
    request.on('close', onBroken);
    request.on('error', onBroken);
    request.on('readable', onReadable);
  });
}

/** Breaks the connection of a request: with a reset where there is a way to, or in good order. */
export function breakConnection(socket: BreakableSocket, how: 'reset' | 'end'): void {
  if (how === 'reset' && socket.resetAndDestroy !== undefined) socket.resetAndDestroy();
  else socket.destroy();
}

/** Sends an answer whole. */
export function sendAnswer(
  response: NodeResponse,
  { status, headers, body }: { readonly status: number; readonly headers: Readonly<Record<string, string>>; readonly body: string },
): void {
  if (response.headersSent || response.destroyed) return;
  response.writeHead(status, { ...headers, 'content-length': String(new TextEncoder().encode(body).length) });
  response.end(body);
}
