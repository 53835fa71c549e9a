/** What the faults can do over HTTP: the performer's port, spelled in requests, bodies, events and sockets. */
import {
  editFrame,
  frameHead,
  frameObject,
  isConnectFailure,
  isObject,
  type Ends,
  type Exchange,
  type Frame,
  type HttpReply,
  type JsonObject,
  type MessageId,
  type Refusal,
} from '@toolquake/sdk/core';
import { answerLane, handleOf, type ClientCall, type ServerCall } from './http-calls.js';
import type { FrontDoor } from './http-front-door.js';
import { endToEnd, withBodyLength } from './http-headers.js';
import type { Lane } from './http-lane.js';

const NOBODY = 'there is nobody to send it to';
/** How HTTP+SSE acknowledges a POST whose answer comes in the stream. */
const ACCEPTED: HttpReply = { status: 202, body: 'Accepted' };
/** HTTP answers the POST as a whole. */
const NO_STATUS = 'one message of a batch has no status of its own';
const SUBSCRIPTION_KEY = 'io.modelcontextprotocol/subscriptionId';

/** Notifications that belong to one call; all others go where the server speaks unasked. */
const ABOUT_A_CALL = new Set(['notifications/progress', 'notifications/message']);

/** What the ends reach. Getters, because connections come before the front door is fully open. */
export type HttpEndsOptions = {
  readonly frontDoor: () => FrontDoor | undefined;
  /** The connection that is being decided on. */
  readonly connecting: () => { isTurnedAway: boolean } | undefined;
  /** Cuts the line of every call that is not answered yet. */
  readonly cutAll: () => void;
};

/** Builds the port. */
export function createHttpEnds({ frontDoor, connecting, cutAll }: HttpEndsOptions): Ends {
  const laneOf = (exchange: Exchange | undefined): Lane | undefined => {
    const handle = exchange === undefined ? undefined : handleOf(exchange);
    return handle?.kind === 'client-call' ? answerLane(handle) : handle?.lane;
  };

  /** Answers the client in the server's name. With HTTP+SSE a status is said to the POST, and a message in the stream. */
  const answerClient = (call: ClientCall, message: JsonObject | undefined, http: HttpReply | undefined): Refusal => {
    const { lane, record } = call;
    if (!record.isAnsweredInStream) return lane.reply(message, http, call);
    if (lane.batch !== undefined) return message === undefined ? NO_STATUS : (call.via?.reply(message, undefined) ?? undefined);
    const isForPost = http !== undefined && (message === undefined || http.body !== undefined || http.status >= 300);
    if (isForPost && !lane.isAnswered) return lane.reply(message, http);
    if (message === undefined) return 'the POST was answered already';
    if (call.via === undefined) return 'the client closed its stream';
    if (call.sent.size === 0) lane.reply(undefined, ACCEPTED);
    return call.via.reply(message, undefined);
  };

  /** Answers the server in the client's name. */
  const answerServer = (call: ServerCall, message: JsonObject | undefined): Refusal => {
    if (message === undefined) return 'a server can only be answered with a message';
    const bytes = Buffer.from(JSON.stringify(message));
    const { path, headers } = call.record;
    const out = call.upstream.request({
      method: 'POST',
      path,
      headers: withBodyLength(endToEnd(headers), bytes.length),
      framing: 'length',
    });
    out.once('error', () => {});
    out.once('response', (answer) => answer.resume());
    out.end(bytes);
    return undefined;
  };

  const emitFrame = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    const handle = exchange === undefined ? undefined : handleOf(exchange);
    if (handle === undefined) return NOBODY;
    if (frame.direction === 'to-server') return handle.kind === 'client-call' ? handle.forward(frame) : NOBODY;
    const { stream, listening } = handle.record;
    const { kind, method } = frameHead(frame);
    if (kind !== 'response' && !ABOUT_A_CALL.has(method ?? '')) {
      if (stream?.isStreaming === true) return stream.say(frame);
      if (listening?.lane.isStreaming === true) return listening.lane.say(tagged(frame, listening.id));
    }
    // The call's own answer becomes a stream, where it is none yet: servers may speak there before they answer.
    const lane = handle.kind === 'client-call' ? answerLane(handle) : handle.lane;
    return lane.openStream() ?? lane.say(frame, handle);
  };

  return {
    send(frame, exchange) {
      const handle = exchange === undefined ? undefined : handleOf(exchange);
      if (handle === undefined) return NOBODY;
      if (frame.direction === 'to-client') return laneOf(exchange)?.deliver(frame, handle) ?? undefined;
      return handle.kind === 'client-call'
        ? handle.forward(frame)
        : handle.answeredBy === undefined
          ? NOBODY
          : handle.answeredBy.forward(frame);
    },
    sendSlice(frame, slice, exchange) {
      if (frame.direction === 'to-server') return 'requests are not sent in slices over HTTP';
      const lane = laneOf(exchange);
      return lane === undefined ? NOBODY : lane.slice(frame, slice, exchange?.handle as object);
    },
    reply(exchange, message, http) {
      const handle = handleOf(exchange);
      if (handle === undefined) return NOBODY;
      return handle.kind === 'client-call' ? answerClient(handle, message, http) : answerServer(handle, message);
    },
    emit(frame, exchange) {
      if (frame !== 'heartbeat') return emitFrame(frame, exchange);
      const lane = laneOf(exchange);
      return lane === undefined ? NOBODY : lane.heartbeat();
    },
    disconnect(how, forMs, exchange) {
      if (isConnectFailure(how)) return 'the client looks up and trusts the proxy, which is there';
      const arriving = exchange === undefined ? connecting() : undefined;
      const lane = laneOf(exchange);
      if (arriving === undefined && lane === undefined) return 'there is no connection to break';
      if (arriving !== undefined) arriving.isTurnedAway = true;
      if (how === 'refuse' && forMs > 0) frontDoor()?.refuseFor(forMs);
      const cut = (one: Lane | undefined): Refusal => (how === 'end' ? one?.end() : one?.reset());
      const handle = exchange === undefined ? undefined : handleOf(exchange);
      // With HTTP+SSE a POST may still be waiting beside the stream.
      if (handle !== undefined && handle.lane !== lane && !handle.lane.isAnswered) cut(handle.lane);
      return cut(lane);
    },
    signalServer(signal, forMs) {
      if (signal !== 'freeze' && signal !== 'crash') return 'the server is no child of ours';
      // The server is no child of ours: its clients see what they would see of a stopped process, or of a dead one.
      if (signal === 'freeze') frontDoor()?.freezeFor(forMs);
      else {
        cutAll();
        frontDoor()?.crashFor(forMs);
      }
      return undefined;
    },
    release: () => frontDoor()?.reopen(),
  };
}

/** A message on a modern subscription names the subscription. */
function tagged(frame: Frame, id: MessageId): Frame {
  const message = frameObject(frame);
  if (message === undefined) return frame;
  const params = isObject(message['params']) ? message['params'] : {};
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return editFrame(frame, { ...message, params: { ...params, _meta: { ...meta, [SUBSCRIPTION_KEY]: id } } });
}
