/** A body that is read whole when it is small enough to look into, and otherwise only as far as that. */
import type { HttpIncoming, HttpOutgoing } from './http-codec.js';
import type { RawHeaders } from './http-headers.js';
import { addTrailers, endWith, relayBody } from './http-relay.js';

/** Bytes read so far; `rest` still flows when the body is over the limit. Trailers are known where all of it was read. */
export type Body = { readonly bytes: Buffer; readonly rest: HttpIncoming | undefined; readonly trailers?: RawHeaders };

const NO_BYTES = Buffer.alloc(0);

/** Reads a body, but no more than a little over `maxBytes`. A body that breaks off is never handed over. */
export function readBody(from: HttpIncoming, maxBytes: number, whenRead: (body: Body) => void): void {
  const chunks: Buffer[] = [];
  let total = 0;
  const take = (rest: HttpIncoming | undefined): void => {
    from.off('data', onData);
    from.off('end', onEnd);
    const bytes = chunks.length === 1 ? chunks[0]! : chunks.length === 0 ? NO_BYTES : Buffer.concat(chunks);
    whenRead(rest === undefined && from.rawTrailers.length > 0 ? { bytes, rest, trailers: from.rawTrailers } : { bytes, rest });
  };
  const onData = (chunk: Buffer): void => {
    chunks.push(chunk);
    total += chunk.length;
    if (total > maxBytes) {
      from.pause();
      take(from);
    } else if (from.complete && from.readableLength === 0) take(undefined);
  };
  const onEnd = (): void => take(undefined);
  from.on('data', onData);
  from.on('end', onEnd);
}

/** Sends a body on, all of it. */
export function sendBody(body: Body, to: HttpOutgoing): void {
  if (body.rest === undefined) {
    if (body.trailers !== undefined) addTrailers(to, body.trailers);
    endWith(to, body.bytes);
    return;
  }
  if (body.bytes.length > 0) to.write(body.bytes);
  relayBody(body.rest, to);
  body.rest.resume();
}
