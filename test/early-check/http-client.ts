/** A raw scripted HTTP client: posts messages one by one and records what it sees. Shared by the HTTP proxy and fetch. */
import { Agent, request } from 'node:http';
import { createEventFramer, eventData, joinBytes, type Era, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { FIRST_WORDS, inEra, INITIALIZED, seenIn, type Seen } from './stage.js';

/** A response of either kind of transport. */
export type RawResponse = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: AsyncIterable<Uint8Array>;
};

/** Posts a body; rejects with the transport's own error. */
export type Post = (headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) => Promise<RawResponse>;

/** The client. */
export type HttpClient = { readonly seen: Seen[]; hello(): Promise<boolean>; send(message: JsonObject): void; leave(): void };

/** Starts a client; nothing is sent yet. */
export function createHttpClient(era: Era, post: Post): HttpClient {
  const seen: Seen[] = [];
  const leaving = new AbortController();
  let sessionId: string | undefined;

  const take = (bytes: Uint8Array, pieces: number): void => {
    seen.push(seenIn(new TextDecoder().decode(bytes), pieces));
  };

  const heard = new WeakMap<AsyncIterable<Uint8Array>, number>();
  async function* counted(body: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> {
    for await (const chunk of body) {
      heard.set(body, (heard.get(body) ?? 0) + chunk.length);
      yield chunk;
    }
  }

  const readEvents = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    const framer = createEventFramer(1 << 20);
    let pieces = 0;
    for await (const chunk of counted(body)) {
      pieces++;
      for (const { bytes } of framer.push(chunk)) {
        const data = eventData(bytes);
        if (data === undefined) seen.push({ what: 'heartbeat' });
        else take(data, pieces);
        pieces = 0;
      }
    }
  };

  const readWhole = async (body: AsyncIterable<Uint8Array>): Promise<void> => {
    const parts: Uint8Array[] = [];
    for await (const chunk of counted(body)) parts.push(chunk);
    take(joinBytes(parts), parts.length);
  };

  const talk = async (message: JsonObject): Promise<boolean> => {
    const id = message['id'] as MessageId | undefined;
    const before = seen.length;
    let response: RawResponse | undefined;
    const broken = (): Seen => ({ what: 'broken', id, bytes: response === undefined ? 0 : (heard.get(response.body) ?? 0) });
    try {
      const session: Record<string, string> = sessionId === undefined ? {} : { 'mcp-session-id': sessionId };
      const tool = message['method'] === 'tools/call' ? String((message['params'] as JsonObject)['name']) : undefined;
      // Modern requests repeat the tool in a header, and servers compare.
      const name: Record<string, string> = era === 'legacy' || tool === undefined ? {} : { 'mcp-name': tool };
      const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...session, ...name };
      response = await post(headers, JSON.stringify(inEra(era, message)), leaving.signal);
      const { status, headers: given, body } = response;
      const type = given['content-type'] ?? '';
      // A client goes by the name of what it gets, and waits for more where a request was only accepted.
      const isUnreadable = status === 200 ? !/json|event-stream/.test(type) : status === 202 && id !== undefined;
      sessionId ??= given['mcp-session-id'];
      if (status >= 400 || isUnreadable) seen.push({ what: 'http', id, status, headers: given });
      else if (type.includes('event-stream')) await readEvents(body);
      else if (status === 200) await readWhole(body);
      const isAnswered = seen
        .slice(before)
        .some((one) => one.what === 'http' || one.what === 'garbage' || (one.what === 'message' && one.message['id'] === id));
      if (status === 200 && !isAnswered) seen.push(broken());
      return status < 400;
    } catch (error) {
      if (leaving.signal.aborted) return false;
      const code = codeOf(error);
      const isNew = code !== undefined && FAILURES.test(code);
      seen.push(code === 'ECONNREFUSED' ? { what: 'refused' } : isNew ? { what: 'refused', code } : broken());
      return false;
    }
  };

  return {
    seen,
    hello: async () => {
      sessionId = undefined;
      return (await talk(FIRST_WORDS[era])) && (era === 'modern' || (await talk(INITIALIZED)));
    },
    send: (message) => void talk(message),
    leave: () => leaving.abort(),
  };
}

/** Codes of connections that never came about. */
const FAILURES = /^(ENOTFOUND|EAI_AGAIN|CERT_|DEPTH_ZERO|ERR_TLS)/;

/** The code of a network error, wherever the library puts it. */
export function codeOf(error: unknown): string | undefined {
  const own = (error as { code?: string }).code;
  return own ?? (error as { cause?: { code?: string } }).cause?.code;
}

/** Posts over a new connection each time, with nothing of fetch's comfort in between. */
export const postTo =
  (url: string): Post =>
  (headers, body, signal) =>
    new Promise((resolve, reject) => {
      const outgoing = request(url, { method: 'POST', headers, signal, agent: new Agent({ keepAlive: false }) }, (response) => {
        const flat = Object.fromEntries(Object.entries(response.headers).map(([name, value]) => [name, String(value)]));
        resolve({ status: response.statusCode ?? 0, headers: flat, body: response });
      });
      outgoing.on('error', reject);
      outgoing.end(body);
    });
