/** A raw scripted client of legacy HTTP+SSE: one stream to hear from, and a POST for everything that it says. */
import { Agent, request, type IncomingMessage } from 'node:http';
import { createEventFramer, eventData, type JsonObject, type MessageId } from '@toolquake/sdk/core';
import { codeOf, postTo, type HttpClient } from './http-client.js';
import { FIRST_WORDS, INITIALIZED, seenIn, type Seen } from './stage.js';

/** Starts a client; nothing is sent yet. */
export function createLegacySseClient(url: string): HttpClient {
  const seen: Seen[] = [];
  const leaving = new AbortController();
  let endpoint: string | undefined;
  let closeStream: () => void = () => {};
  leaving.signal.addEventListener('abort', () => closeStream(), { once: true });

  const failed = (error: unknown, id: MessageId | undefined): false => {
    const isRefused = codeOf(error) === 'ECONNREFUSED';
    if (!leaving.signal.aborted) seen.push(isRefused ? { what: 'refused' } : { what: 'broken', id });
    return false;
  };

  /** Reads the stream until it ends; `onEndpoint` hears of the first event. */
  const listen = async (stream: IncomingMessage, isClosed: () => boolean, onEndpoint: (where: string) => void): Promise<void> => {
    const framer = createEventFramer(1 << 20);
    let pieces = 0;
    /** Of the event that is not whole yet. */
    let bytesSoFar = 0;
    try {
      for await (const chunk of stream) {
        pieces++;
        bytesSoFar += (chunk as Uint8Array).length;
        for (const { bytes } of framer.push(chunk as Uint8Array)) {
          bytesSoFar -= bytes.length;
          const data = eventData(bytes);
          const text = data === undefined ? undefined : new TextDecoder().decode(data);
          if (text === undefined) seen.push({ what: 'heartbeat' });
          else if (text.startsWith('/')) onEndpoint(text);
          else seen.push(seenIn(text, pieces));
          pieces = 0;
        }
      }
    } catch {
      // A stream that breaks off has ended, too.
    }
    if (!isClosed() && !leaving.signal.aborted) seen.push({ what: 'broken', id: undefined, bytes: bytesSoFar });
  };

  /** Resolves to where to post to: nothing can be said before. */
  const openStream = (): Promise<string> =>
    new Promise((resolve, reject) => {
      let isClosed = false;
      const outgoing = request(url, { headers: { accept: 'text/event-stream' }, agent: new Agent({ keepAlive: false }) });
      const close = (): void => {
        isClosed = true;
        outgoing.destroy();
      };
      closeStream();
      closeStream = close;
      outgoing.on('error', reject);
      outgoing.on('response', (stream) => {
        const onEndpoint = (where: string): void => {
          endpoint = new URL(where, url).href;
          resolve(endpoint);
        };
        void listen(stream, () => isClosed, onEndpoint).then(() => reject(new Error('the stream ended')));
      });
      outgoing.end();
    });

  const talk = async (message: JsonObject): Promise<boolean> => {
    const id = message['id'] as MessageId | undefined;
    try {
      const headers = { 'content-type': 'application/json' };
      // A client of both eras asks at the address itself, before it falls back to HTTP+SSE.
      const isProbe = endpoint === undefined && message['method'] === FIRST_WORDS.modern['method'];
      const where = isProbe ? url : (endpoint ?? (await openStream()));
      const { status, headers: given, body } = await postTo(where)(headers, JSON.stringify(message), leaving.signal);
      for await (const _ of body) void _;
      if (status >= 400) seen.push({ what: 'http', id, status, headers: given });
      return status < 400;
    } catch (error) {
      return failed(error, id);
    }
  };

  return {
    seen,
    hello: async () => {
      try {
        await openStream();
      } catch (error) {
        return failed(error, undefined);
      }
      const before = seen.length;
      const isIntroduced = (): boolean =>
        seen.slice(before).some((one) => (one.what === 'message' ? one.message['id'] === 0 : one.what !== 'heartbeat'));
      if (!(await talk(FIRST_WORDS.legacy))) return false;
      while (!isIntroduced()) await new Promise((resolve) => setTimeout(resolve, 1));
      return talk(INITIALIZED);
    },
    send: (message) => void talk(message),
    leave: () => leaving.abort(),
  };
}
