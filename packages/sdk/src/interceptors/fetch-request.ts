/** One outgoing fetch: what it says, and how to send it once more or with another body. */
import { joinBytes } from '../core/event-stream.js';
import { frameFromBytes } from '../core/frame.js';
import { changedNameHeader, NAME_HEADER } from '../core/name-header.js';

/** The part of fetch that is wrapped. */
export type FetchFunction = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** A fetch that has not been sent. */
export type OutgoingRequest = {
  readonly url: string;
  readonly method: string;
  readonly headers: Headers;
  readonly signal: AbortSignal | undefined;
  /** The JSON body; undefined when there is none, or when it is over the limit. */
  readonly body: Uint8Array | undefined;
  /** Sends it as the caller wrote it, or with other bytes. */
  send(fetch: FetchFunction, change?: { readonly body?: Uint8Array; readonly signal?: AbortSignal }): Promise<Response>;
};

const encoder = new TextEncoder();
const NO_HEADERS = new Headers();

/** Reads what the caller wants to send. A body is only read where it says that it is JSON. */
export async function readRequest(
  input: string | URL | Request,
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<OutgoingRequest> {
  const request = input instanceof Request ? input : undefined;
  const method = (init?.method ?? request?.method ?? 'GET').toUpperCase();
  const given = init?.headers ?? request?.headers;
  // Only ever copied, so the caller's own will do.
  const headers = given === undefined ? NO_HEADERS : given instanceof Headers ? given : new Headers(given);
  const isJson = method === 'POST' && headers.get('content-type')?.includes('json') === true;
  const read = isJson ? await readBody(request, init, maxBytes) : { body: undefined, init };
  let isSent = false;
  return {
    url: input instanceof Request ? input.url : input instanceof URL ? input.href : input,
    method,
    headers,
    signal: init?.signal ?? request?.signal ?? undefined,
    body: read.body,
    send(fetch, change = {}) {
      // A stream can be read once: the second time the bytes that we read are sent.
      const bytes = change.body ?? (isSent ? read.body : undefined);
      isSent = true;
      if (bytes === undefined && change.signal === undefined) return fetch(input, read.init);
      const edited: RequestInit = { ...read.init };
      if (change.signal !== undefined) edited.signal = change.signal;
      if (bytes !== undefined) {
        edited.body = bytes as Uint8Array<ArrayBuffer>; // Never shared memory: it came from a body or an encoder.
        edited.headers = headersFor(headers, read.body, bytes);
      }
      return fetch(input, edited);
    },
  };
}

/** The headers for another body than the one that they came with. */
export function headersFor(headers: Headers, original: Uint8Array | undefined, bytes: Uint8Array): Headers {
  const changed = new Headers(headers);
  changed.delete('content-length');
  if (original === undefined || original === bytes || !headers.has(NAME_HEADER)) return changed;
  const name = changedNameHeader(frameFromBytes('to-server', original), frameFromBytes('to-server', bytes));
  if (name !== undefined) changed.set(NAME_HEADER, name);
  return changed;
}

/**
 * The bytes of a body that is text, bytes, or parts of either that come one after the other; undefined when it is none of
 * these or too large. `again` is a body that says the same once more.
 */
export async function collect(
  body: unknown,
  maxBytes: number,
): Promise<{ readonly bytes: Uint8Array | undefined; readonly again: unknown }> {
  const whole = bytesOf(body);
  if (whole !== undefined) return { bytes: within(whole, maxBytes), again: body };
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return { bytes: undefined, again: body };
  const source = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await source.next();
    if (done === true) return { bytes: joinBytes(parts), again: undefined };
    const part = bytesOf(value);
    if (part !== undefined) parts.push(part);
    size += part?.length ?? 0;
    if (size > maxBytes) return { bytes: undefined, again: restOf(parts, source) };
  }
}

async function* restOf(parts: readonly Uint8Array[], source: AsyncIterator<unknown>): AsyncGenerator {
  yield* parts;
  for (;;) {
    const { done, value } = await source.next();
    if (done === true) return;
    yield value;
  }
}

function bytesOf(value: unknown): Uint8Array | undefined {
  if (typeof value === 'string') return encoder.encode(value);
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  return ArrayBuffer.isView(value) ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength) : undefined;
}

/** The bytes of a body, and an init with which it can still be sent. */
async function readBody(
  request: Request | undefined,
  init: RequestInit | undefined,
  maxBytes: number,
): Promise<{ body: Uint8Array | undefined; init: RequestInit | undefined }> {
  const given = init?.body;
  const whole = bytesOf(given);
  if (whole !== undefined) return { body: within(whole, maxBytes), init };
  if (given instanceof ReadableStream) {
    const [ours, theirs] = given.tee();
    return { body: await readWithin(ours, maxBytes), init: { ...init, body: theirs } };
  }
  const stream = given == null ? request?.clone().body : undefined;
  return { body: stream == null ? undefined : await readWithin(stream, maxBytes), init };
}

function within(bytes: Uint8Array, maxBytes: number): Uint8Array | undefined {
  return bytes.length > maxBytes ? undefined : bytes;
}

/** All bytes of a stream; undefined, and the stream given up, when there are too many. */
async function readWithin(stream: ReadableStream<Uint8Array>, maxBytes: number): Promise<Uint8Array | undefined> {
  const reader = stream.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return joinBytes(parts);
    size += value.length;
    if (size > maxBytes) {
      // Not awaited: one half of a tee is only cancelled together with the other.
      void reader.cancel();
      return undefined;
    }
    parts.push(value);
  }
}
