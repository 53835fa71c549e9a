/** Passing one HTTP request on and its answer back, untouched and as it comes. The whole data path when no rule is at work. */
import type { HttpIncoming, HttpOutgoing, HttpRequest, HttpResponse } from './http-codec.js';
import { endToEnd, type RawHeaders } from './http-headers.js';
import { headOf, type Upstream, type UpstreamAsk, type UpstreamHead } from './http-upstream.js';

/** Changes some of a body on its way; may keep bytes back until it is pushed more, or until the end. */
export type BodyEdit = { push(bytes: Uint8Array): Uint8Array; end(): Uint8Array };

/** Hears what comes of a request, and touches nothing. */
export type RelayTap = { onAnswer(answer: HttpIncoming): void; onFailure(error: NodeJS.ErrnoException): void };

/** Relays one request. `onHead` hears how the answer begins, before the client does, and may edit its body. */
export function relay(
  ask: UpstreamAsk,
  request: HttpIncoming,
  response: HttpResponse,
  upstream: Upstream,
  onHead?: (head: UpstreamHead) => BodyEdit | undefined,
  tap?: RelayTap,
): void {
  const out = upstream.request(ask);
  if (tap !== undefined) out.on('error', (error) => tap.onFailure(error)).on('response', (answer) => tap.onAnswer(answer));
  relayInterim(out, response);
  out.on('error', (error: NodeJS.ErrnoException) => {
    if (!response.destroyed && !response.writableEnded) upstream.failed(error);
    failClient(response, error);
  });
  out.on('response', (answer) => {
    const head = headOf(answer);
    const edit = onHead?.(head);
    writeHead(response, head);
    relayBody(answer, response, edit);
    guardAnswer(answer, response);
  });
  response.on('close', () => {
    // The client hung up: in the modern era that is how it cancels, so the server must hear of it now.
    if (!response.writableFinished) out.destroy();
  });
  if (ask.framing === 'none') out.end();
  else relayBody(request, out);
}

/** Sends how an answer begins; the first bytes of the body travel in the same packet when they are there already. */
export function writeHead(response: HttpResponse, head: UpstreamHead): void {
  // The server's own date counts, and where it sent none there is none.
  response.sendDate = false;
  response.writeHead(head.status, head.reason, endToEnd(head.headers));
}

/** Pieces up to this size are put together while more of them are there: fewer and larger writes. */
export const SMALL_BYTES: number = 16 * 1024;

/** Pumps a body with backpressure, its trailers too, and ends the other side with it. */
export function relayBody(from: HttpIncoming, to: HttpOutgoing, edit?: BodyEdit): void {
  let gathered: Buffer[] = [];
  let isFlushed = false;
  let isEnded = false;
  const resume = (): void => void from.resume();
  from.on('data', (chunk: Buffer) => {
    if (from.readableLength > 0 && chunk.length <= SMALL_BYTES) {
      gathered.push(chunk);
      return;
    }
    const read = gathered.length === 0 ? chunk : Buffer.concat([...gathered, chunk]);
    const bytes = edit === undefined ? read : edit.push(read);
    gathered = [];
    isFlushed = bytes.length > 0;
    // All of it is here, so the end travels with it.
    isEnded = edit === undefined && from.complete && from.readableLength === 0 && from.rawTrailers.length === 0;
    if (isEnded) endWith(to, bytes);
    else if (!to.write(bytes)) {
      from.pause();
      to.once('drain', resume);
    }
  });
  from.on('end', () => {
    if (isEnded) return;
    isFlushed = true;
    const kept = edit?.end();
    if (kept !== undefined && kept.length > 0) to.write(kept);
    addTrailers(to, from.rawTrailers);
    to.end();
  });
  // After the bytes that came with the head: a head alone must not wait for a slow body.
  process.nextTick(() => {
    if (!isFlushed) flushHead(to);
  });
}

/** Adds what follows a chunked body. To be called before its end. */
export function addTrailers(to: HttpOutgoing, trailers: RawHeaders): void {
  if (trailers.length > 0) to.addTrailers(pairs(trailers));
}

/** Ends with the last bytes. As text of one byte per character, a small body shares one write with its head. */
export function endWith(to: HttpOutgoing, bytes: Uint8Array): void {
  if (to.chunkedEncoding || bytes.length > SMALL_BYTES) to.end(bytes);
  else to.end(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1'), 'latin1');
}

const NO_BYTES = Buffer.alloc(0);

/** Sends the head if it still waits. An empty write, because `flushHeaders` would encode its bytes over 0x7f anew. */
export function flushHead(to: HttpOutgoing): void {
  if (!to.writableEnded && !to.destroyed) to.write(NO_BYTES);
}

/** An answer that breaks off must break off for the client too: a polite end would look like all of it. */
function guardAnswer(answer: HttpIncoming, response: HttpResponse): void {
  answer.on('error', () => {});
  answer.on('close', () => {
    if (!answer.complete) resetClient(response);
  });
}

/** Cuts the client's connection with a reset, not with a polite end. */
export function resetClient(response: HttpResponse): void {
  if (response.socket === null) response.destroy();
  else response.socket.resetAndDestroy();
}

/** What gateways say when the server could not be asked. */
export function badGateway(error: { readonly code?: string | undefined }): { readonly head: UpstreamHead; readonly bytes: Buffer } {
  const bytes = Buffer.from(`Bad Gateway: ${error.code ?? 'the server did not answer'}\n`);
  return {
    head: { status: 502, reason: 'Bad Gateway', headers: ['Content-Type', 'text/plain', 'Content-Length', String(bytes.length)] },
    bytes,
  };
}

/** Tells the client that the server could not be asked; a reset where the answer has begun. */
export function failClient(response: HttpResponse, error: { readonly code?: string | undefined }): void {
  if (response.destroyed || response.writableEnded) return;
  if (response.headersSent) return resetClient(response);
  const { head, bytes } = badGateway(error);
  writeHead(response, head);
  response.end(bytes);
}

/** Passes 1xx answers on: `100 Continue`, early hints, and whatever else comes before the answer. */
export function relayInterim(out: HttpRequest, response: HttpResponse): void {
  out.on('information', ({ statusCode, statusMessage, rawHeaders }) => {
    if (response.headersSent || response.socket === null) return;
    const lines = pairs(rawHeaders).map(([name, value]) => `${name}: ${value}\r\n`);
    response.socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`, 'latin1');
  });
}

function pairs(flat: readonly string[]): [string, string][] {
  const list: [string, string][] = [];
  for (let index = 0; index < flat.length; index += 2) list.push([flat[index]!, flat[index + 1]!]);
  return list;
}
