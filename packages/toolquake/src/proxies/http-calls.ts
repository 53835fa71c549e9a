/** What an exchange's handle is over HTTP: the request that opened it, and the way back to whoever sent it. */
import { changedNameHeader, frameBytes, NAME_HEADER, type Exchange, type Frame, type MessageId, type Refusal } from '@toolquake/sdk/core';
import type { HttpIncoming, HttpRequest } from './http-codec.js';
import { sendBody, type Body } from './http-body.js';
import { headerOf, withBodyLength, withHeader } from './http-headers.js';
import type { Lane } from './http-lane.js';
import { relayInterim } from './http-relay.js';
import type { SessionRecord } from './http-sessions.js';
import type { Upstream, UpstreamAsk } from './http-upstream.js';

/** A message that a client posted. */
export type ClientCall = {
  readonly kind: 'client-call';
  readonly record: SessionRecord;
  readonly lane: Lane;
  /** What the client posted. */
  readonly message: Frame;
  /** The exchange, where somebody cares about it. */
  exchange: Exchange | undefined;
  /** The stream that the answer comes in, when it is another one (a resumed stream, HTTP+SSE). */
  via: Lane | undefined;
  /** The elements of a posted batch, by their ids. */
  elements: ReadonlyMap<MessageId, ClientCall> | undefined;
  /** Requests upstream made for this call. */
  readonly sent: Set<HttpRequest>;
  /** Posts a message upstream: the original bytes, or an edited message under headers that agree with it. */
  forward(frame: Frame): Refusal;
};

/** A request or notification of the server, in a stream. */
export type ServerCall = {
  readonly kind: 'server-call';
  readonly record: SessionRecord;
  readonly lane: Lane;
  /** The server that asks. */
  readonly upstream: Upstream;
  /** The POST that the client answered with. */
  answeredBy: ClientCall | undefined;
};

/** The handle of an exchange; only this transport ever fills it. */
export function handleOf(exchange: Exchange): ClientCall | ServerCall | undefined {
  return exchange.handle as ClientCall | ServerCall | undefined;
}

/** Where the answer to a call goes: into the stream that it came in, unless the POST itself got one that is still due. */
export function answerLane({ lane, via }: ClientCall): Lane {
  return lane.whole === undefined || lane.isAnswered ? (via ?? lane) : lane;
}

/** What comes back from upstream. */
export type UpstreamListener = {
  onAnswer(call: ClientCall, answer: HttpIncoming): void;
  onFailure(call: ClientCall, error: NodeJS.ErrnoException): void;
};

/** Starts a client call; nothing goes upstream before `forward`. */
export function createClientCall(
  from: { readonly record: SessionRecord; readonly lane: Lane; readonly ask: UpstreamAsk; readonly body: Body; readonly frame: Frame },
  upstream: Upstream,
  listener: UpstreamListener,
  /** Takes a message into the batch that is being put together; false when there is none. */
  takenIntoBatch?: (frame: Frame) => boolean,
): ClientCall {
  const { ask, body, lane } = from;
  let isRestSpent = false;

  const headersFor = (edited: Frame, byteCount: number): string[] => {
    const headers = withBodyLength(ask.headers, byteCount);
    const name = headerOf(headers, NAME_HEADER) === undefined ? undefined : changedNameHeader(from.frame, edited);
    return name === undefined ? headers : withHeader(headers, NAME_HEADER, name);
  };

  const call: ClientCall = {
    kind: 'client-call',
    record: from.record,
    lane,
    message: from.frame,
    exchange: undefined,
    via: from.record.isAnsweredInStream ? from.record.stream : undefined,
    elements: undefined,
    sent: new Set(),
    forward(frame) {
      if (takenIntoBatch?.(frame) === true) return undefined;
      const isOriginal = frame === from.frame;
      if (frame.isOpaque && (!isOriginal || isRestSpent)) return 'too large';
      const bytes = isOriginal ? undefined : frameBytes(frame);
      const out = upstream.request(bytes === undefined ? ask : { ...ask, headers: headersFor(frame, bytes.length) });
      call.sent.add(out);
      lane.openUpstreams++;
      let isSettled = false;
      // Stays for good: a request that failed fails again with every byte that is still written to it.
      out.on('error', (error: NodeJS.ErrnoException) => {
        // An answer that has begun breaks off by itself. It must not become another one.
        if (isSettled) return;
        isSettled = true;
        listener.onFailure(call, error);
      });
      out.once('response', (answer) => {
        isSettled = true;
        listener.onAnswer(call, answer);
      });
      relayInterim(out, lane.response);
      if (bytes === undefined) sendBody(body, out);
      else out.end(bytes);
      isRestSpent = true;
      return undefined;
    },
  };
  return call;
}
