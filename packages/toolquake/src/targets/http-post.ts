/** One HTTP request over the staged dialler: from the headers that went out to those that came back. */
import { Agent, request as startRequest, type IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { TargetFailure, type Stage } from '../core/connection.js';
import { codeOf, networkFailure } from './network-failure.js';
import { dial, type Dial, type Dialled } from './dial.js';
import type { StageLog } from './stage-log.js';

/** A request. */
export type HttpAsk = {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
  readonly step: Stage;
  /** From the moment that the connection stands to the headers of the answer, and for as long as the caller reads on. */
  readonly limitMs: number;
  readonly onLate: (hasHeaders: boolean) => TargetFailure;
  readonly signal: AbortSignal | undefined;
};

/** An answer whose body has not been read. `stop` ends the exchange; a late end shows as `failure`. */
export type HttpAnswer = {
  readonly response: IncomingMessage;
  readonly status: number;
  /** Rejects when the time is over or the caller gives up; never resolves. */
  readonly failed: Promise<never>;
  /** Ends the exchange: whole answers keep the connection for the next request. */
  finish(isWhole: boolean): void;
};

/** Connections to one origin, opened when needed and kept for the next request of the same conversation. */
export type HttpOrigin = {
  send(ask: HttpAsk): Promise<HttpAnswer>;
  certificateEndsAtMs(): number | undefined;
  close(): void;
};

/** Names and cookies add up; beyond this an answer is an attack. */
const MAX_HEADER_BYTES = 64 * 1024;

type DialOptions = { readonly dialSignal?: AbortSignal | undefined };

/** Connections as `asked` describes them. Only the first dial is noted: it is the one that a waterfall shows. */
export function openOrigin(asked: Dial, log: StageLog): HttpOrigin {
  let certificateEndsAtMs: number | undefined;
  let dials = 0;
  const open = async (signal: AbortSignal | undefined): Promise<Dialled> => {
    const isFirst = dials++ === 0;
    return dial(asked, isFirst ? log : { ...log, time: (_stage, work) => work() }, signal);
  };
  const agent = new Agent({ keepAlive: true, maxSockets: 64 });
  agent.createConnection = (options, callback) => {
    void (async () => {
      // The options are those of the request, which carries the signal.
      const dialled = await open((options as DialOptions).dialSignal).catch((error: unknown) =>
        error instanceof Error ? error : new Error(String(error)),
      );
      // Node ignores the stream where there is an error; its types want one all the same.
      if (dialled instanceof Error) return callback?.(dialled, undefined as unknown as Duplex);
      certificateEndsAtMs = dialled.certificateEndsAtMs;
      callback?.(null, dialled.socket);
    })();
    return undefined;
  };

  const send = (ask: HttpAsk): Promise<HttpAnswer> =>
    new Promise((resolve, reject) => {
      ask.signal?.throwIfAborted();
      const { url } = ask;
      const options = {
        agent,
        host: url.hostname,
        port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
        method: ask.method,
        path: `${url.pathname}${url.search}`,
        setHost: false,
        maxHeaderSize: MAX_HEADER_BYTES,
        headers: {
          host: url.host,
          ...ask.headers,
          ...(ask.body === undefined ? {} : { 'content-length': String(ask.body.length) }),
        },
        dialSignal: ask.signal,
      };
      let fail: (error: unknown) => void = () => {};
      const failed = new Promise<never>((_, refuse) => (fail = refuse));
      failed.catch(() => {});
      let hasHeaders = false;
      let isOver = false;
      let cancel = (): void => {};
      const request = startRequest(options);
      const end = (error: unknown): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        ask.signal?.removeEventListener('abort', onAbort);
        fail(error);
        // eslint-disable-next-line typescript/prefer-promise-reject-errors -- the reason of a signal is whatever its owner chose
        reject(error);
        request.destroy();
      };
      const onAbort = (): void => end(ask.signal?.reason);
      ask.signal?.addEventListener('abort', onAbort, { once: true });
      request.once('socket', () => {
        cancel = asked.clock.schedule(ask.limitMs, () => end(ask.onLate(hasHeaders)));
      });
      request.on('error', (error) => end(networkFailure(error, ask.step, url.host)));
      request.once('response', (response) => {
        hasHeaders = true;
        resolve({
          response,
          status: response.statusCode ?? 0,
          failed,
          finish(isWhole) {
            if (isOver) return;
            isOver = true;
            cancel();
            ask.signal?.removeEventListener('abort', onAbort);
            if (!isWhole) request.destroy();
            else response.resume();
          },
        });
      });
      request.end(ask.body);
    });

  return {
    // A kept connection may have been closed just now: that says nothing about the server, so it is dialled again.
    send: async (ask) => {
      const before = dials;
      try {
        return await send(ask);
      } catch (error) {
        const isStale = error instanceof TargetFailure && dials === before && before > 0 && wasCut(error);
        if (!isStale || ask.step === 'call' || ask.signal?.aborted === true) throw error;
        return send(ask);
      }
    },
    certificateEndsAtMs: () => certificateEndsAtMs,
    close: () => agent.destroy(),
  };
}

function wasCut({ facts }: TargetFailure): boolean {
  const code = codeOf(facts.cause);
  return code === 'ECONNRESET' || code === 'EPIPE';
}
