/** Records what clients and an HTTP server say to each other. The proxy relays; we only listen. */
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { describeProblem } from '@toolquake/sdk/core';
import { realClock } from '@toolquake/sdk/interceptors';
import type { HttpIncoming } from '../proxies/http-codec.js';
import { announcedEndpoint } from '../proxies/http-endpoint.js';
import { headerOf } from '../proxies/http-headers.js';
import { badGateway, type RelayTap } from '../proxies/http-relay.js';
import { headOf } from '../proxies/http-upstream.js';
import { createHttpRecorder, type EndpointReader, type ExchangeRecorder } from '../recordings/http-recorder.js';
import { createAfterwards, type Afterwards } from './afterwards.js';
import { proxyHttp, type ProxyHttpOptions } from './proxy-http.js';
import { openRecording, runName } from './recording-file.js';

/** What recording needs to know. */
export type RecordHttpOptions = Pick<ProxyHttpOptions, 'upstream' | 'host' | 'port' | 'rewriteHost' | 'signal' | 'tell' | 'onListening'> & {
  readonly outPath: string;
};

/** Resolves when it is told to stop; `isComplete` is false when messages are missing in the file. */
export async function recordHttp({ outPath, ...options }: RecordHttpOptions): Promise<{ readonly isComplete: boolean }> {
  const { tell } = options;
  const run = runName();
  const file = openRecording(outPath, run, tell);
  const afterwards = createAfterwards(realClock, (error) => tell(`a message was not recorded: ${describeProblem(error)}`));
  const { clock } = afterwards;
  const url = new URL(URL.canParse(options.upstream ?? '') ? String(options.upstream) : 'http://unnamed.invalid');
  const place = { origin: url.origin, prefix: url.pathname.endsWith('/') ? url.pathname.slice(0, -1) : '', isAskedByName: false };
  const endpointOf: EndpointReader = (event, path) => announcedEndpoint(event, { upstream: place, ask: { path, headers: [] } })?.path;
  const startedAt = new Date().toISOString();
  const record = createHttpRecorder({ clock, transport: 'http', run, startedAt, append: file.append, endpointOf });
  const decoding = new Set<Promise<void>>();
  const { signal } = options;
  const tap = (heard: Heard): RelayTap => listen(heard, record, { afterwards, decoding, signal });
  // Nothing of the environment: a journal that it asks for would take the traffic off the path that is only relayed.
  await proxyHttp({ ...options, env: {}, tap }).catch((error: unknown) => {
    file.abandon();
    throw error;
  });
  await Promise.all(decoding);
  afterwards.finish();
  await file.close();
  return { isComplete: file.isComplete() };
}

type Heard = Parameters<NonNullable<ProxyHttpOptions['tap']>>[0];

/** `decoding` holds what is still being decompressed. */
type Work = { readonly afterwards: Afterwards; readonly decoding: Set<Promise<void>>; readonly signal: AbortSignal };

function listen({ ask, request, response }: Heard, record: ReturnType<typeof createHttpRecorder>, work: Work): RelayTap {
  const { afterwards } = work;
  const sessionId = headerOf(ask.headers, 'mcp-session-id');
  // Made like everything else when the bytes are gone, so that not even a mistake of ours touches the traffic.
  let exchange: ExchangeRecorder | undefined;
  afterwards.do(0, () => void (exchange = record({ method: ask.method, path: ask.path, sessionId })));
  let isOver = false;
  const end = (by?: 'server' | 'client'): void => {
    // What we cut off when we stop, nobody else did: it is left without an end.
    if (!isOver && (by === undefined || !work.signal.aborted)) afterwards.do(0, () => exchange?.end(by));
    isOver = true;
  };
  if (ask.framing !== 'none') {
    request.on('data', (chunk: Buffer) => afterwards.do(chunk.length, () => exchange?.ask(chunk)));
    request.on('end', () => afterwards.do(0, () => exchange?.ask()));
  }
  response.on('close', () => void (response.writableFinished || end('client')));
  return {
    onAnswer(answer) {
      const head = headOf(answer);
      afterwards.do(0, () => exchange?.begin(head));
      const plain = plainBytes(answer, headerOf(head.headers, 'content-encoding')?.trim().toLowerCase(), work.decoding);
      plain.on('data', (chunk: Buffer) => afterwards.do(chunk.length, () => exchange?.answer(chunk)));
      plain.on('end', () => end());
      // An answer that broke off says so with an error first; so does a body that was not compressed as it says.
      plain.on('error', () => end(answer.complete ? undefined : 'server'));
      answer.on('close', () => void (answer.complete || end('server')));
    },
    onFailure(error) {
      const { head, bytes } = badGateway(error);
      if (isOver) return;
      afterwards.do(0, () => {
        exchange?.begin(head);
        exchange?.answer(bytes);
      });
      end();
    },
  };
}

/** The body as it was before the server compressed it. The client gets the compressed bytes all the same. */
function plainBytes(answer: HttpIncoming, encoding: string | undefined, decoding: Work['decoding']): HttpIncoming | NodeJS.ReadableStream {
  const decoder =
    encoding === 'gzip' || encoding === 'x-gzip'
      ? createGunzip()
      : encoding === 'deflate'
        ? createInflate()
        : encoding === 'br'
          ? createBrotliDecompress()
          : undefined;
  if (decoder === undefined) return answer;
  // Listeners of our own instead of a pipe: a slow decoder must not hold the client's bytes back.
  answer.on('data', (chunk: Buffer) => void decoder.write(chunk));
  answer.on('close', () => decoder.end());
  const over = new Promise<void>((resolve) => decoder.once('close', resolve));
  decoding.add(over);
  void over.then(() => decoding.delete(over));
  return decoder;
}
