/**
 * The client's end of one HTTP request: what was answered so far, and every way to go on from there. An answer is one
 * body, or an event stream; which of them is up to the server, and to us only where the server has not spoken yet.
 */
import type { ServerResponse } from 'node:http';
import {
  encodeEvent,
  eventOpening,
  frameBytes,
  frameHead,
  HEARTBEAT,
  replyHeaders,
  type Frame,
  type HttpReply,
  type JsonObject,
  type Refusal,
} from '@toolquake/sdk/core';
import { sendBody, type Body } from './http-body.js';
import { EventWriter } from './http-event-writer.js';
import { isEventStream, serverHeaders, withBodyLength, withHeader, type RawHeaders } from './http-headers.js';
import { flushHead, resetClient, writeHead } from './http-relay.js';
import type { UpstreamHead } from './http-upstream.js';

const GONE = 'the client is no longer there';
const COMPLETE = 'the answer is complete already';
const OUR_STREAM_HEADERS = [
  ['Content-Type', 'text/event-stream'],
  ['Cache-Control', 'no-cache'],
] as const;
const OUR_JSON: UpstreamHead = { status: 200, reason: 'OK', headers: ['Content-Type', 'application/json'] };

/** One slice of a frame. */
export type Slice = { readonly bytes: Uint8Array; readonly isFirst: boolean; readonly isLast: boolean };

/** What we know of the server from its latest answer. */
export type KnownServer = { headers: RawHeaders };

/** See the module comment. */
export class Lane {
  readonly response: ServerResponse;
  readonly events: EventWriter;
  /** How the server began its answer, once it did. */
  head: UpstreamHead | undefined;
  /** The server's answer as one body, with the frame that was made of it. */
  whole: { readonly frame: Frame; readonly body: Body } | undefined;
  /** Requests upstream that have not ended yet; a call that is executed twice has two. */
  openUpstreams = 0;
  /** An answer is in the hands of a fault: the stream must not end before it. */
  owesAnswer = false;
  /** We cut the connection ourselves: the client did not cancel anything. */
  isCut = false;
  isAnswered = false;
  /** Hears of every message that was delivered. */
  onDelivered: ((frame: Frame) => void) | undefined;
  private state: 'waiting' | 'streaming' | 'complete' = 'waiting';
  private hasUpstreamEnded = false;
  /** The event that came last, and its frame: shape of what takes its place. */
  private lastBlock: Uint8Array | undefined;
  private lastFrame: Frame | undefined;
  /** Events whose frames a fault may still deliver, after others have come. */
  private blocks: WeakMap<Frame, Uint8Array> | undefined;
  /** What the client says that it can read. */
  private readonly acceptsEvents: boolean;

  private readonly server: KnownServer;

  constructor(response: ServerResponse, accept: string | undefined, server: KnownServer) {
    this.response = response;
    this.server = server;
    this.events = new EventWriter(response);
    this.acceptsEvents = accept?.toLowerCase().includes('text/event-stream') === true;
  }

  get isStreaming(): boolean {
    return this.state === 'streaming' && !this.isGone;
  }

  get isGone(): boolean {
    return this.response.destroyed || this.isCut;
  }

  /** Notes the event that a frame came in, so that the untouched frame leaves in the very same bytes. */
  note(frame: Frame, block: Uint8Array): void {
    this.lastFrame = frame;
    this.lastBlock = block;
  }

  /** Keeps what was noted: a fault has the frame in its hands. */
  keepNoted(): void {
    if (this.lastFrame !== undefined && this.lastBlock !== undefined) (this.blocks ??= new WeakMap()).set(this.lastFrame, this.lastBlock);
  }

  /** The rest of what was noted will not come: it cannot be delivered later. */
  forgetNoted(): void {
    this.lastFrame = undefined;
  }

  /** Begins the event stream, as the server did or in our own words. */
  openStream(): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete') return COMPLETE;
    if (this.state === 'streaming') return undefined;
    const isServers = this.head !== undefined && isEventStream(this.head.headers);
    if (!isServers && !this.acceptsEvents) return 'the client does not accept event streams';
    this.state = 'streaming';
    writeHead(this.response, isServers ? this.head! : this.ourStream());
    process.nextTick(flushHead, this.response);
    return undefined;
  }

  /** Writes bytes of the stream as they came. */
  pass(bytes: Uint8Array): Refusal {
    const why = this.openStream();
    if (why === undefined) this.events.pass(bytes);
    return why;
  }

  /** Delivers a message: as the server's own body or event where it is untouched, else in the same form. */
  deliver(frame: Frame): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete') return COMPLETE;
    const isAnswer = endsCall(frame) || frame === this.whole?.frame;
    const isStream = this.state === 'streaming' || (this.head !== undefined && isEventStream(this.head.headers));
    if (isStream) {
      const block = this.blockOf(frame);
      if (block === undefined && frame.isOpaque) return 'too large';
      const why = this.pass(block ?? encodeEvent(frameBytes(frame), this.lastBlock));
      if (why === undefined) this.onDelivered?.(frame);
      if (why === undefined && isAnswer) this.answered();
      return why;
    }
    if (frame === this.whole?.frame) return this.sendWhole(this.head ?? OUR_JSON, this.whole.body);
    if (frame.isOpaque) return 'too large';
    return this.sendBytes(frameBytes(frame));
  }

  /** The server's answer, all of it, as it came. */
  sendWhole(head: UpstreamHead, body: Body): Refusal {
    if (this.isGone) return GONE;
    if (this.state !== 'waiting') return COMPLETE;
    this.state = 'complete';
    this.isAnswered = true;
    writeHead(this.response, head);
    sendBody(body, this.response);
    return undefined;
  }

  /** Sends some bytes of a message; the first slice opens the body or event, the last one closes it. */
  slice(frame: Frame, slice: Slice): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete' && slice.isFirst) return COMPLETE;
    if (slice.isFirst && frame.isOpaque) return 'too large';
    const isStream = this.state === 'streaming' || (this.head !== undefined && isEventStream(this.head.headers));
    if (isStream) {
      const why = this.openStream();
      if (why !== undefined) return why;
      if (slice.isFirst) this.events.beginSlices(frame, eventOpening(this.blockOf(frame) ?? this.lastBlock));
      this.events.slice(frame, slice.bytes);
      if (!slice.isLast) return undefined;
      this.events.endSlices(frame);
      if (endsCall(frame)) this.answered();
      return undefined;
    }
    if (slice.isFirst) {
      this.state = 'complete';
      const head = this.head ?? OUR_JSON;
      // Untouched bytes keep the server's own headers.
      writeHead(this.response, frame === this.whole?.frame ? head : this.headFor(frameBytes(frame).length));
    }
    this.response.write(slice.bytes);
    if (slice.isLast) {
      this.isAnswered = true;
      this.response.end();
    }
    return undefined;
  }

  /** Answers in the server's place. */
  reply(message: JsonObject | undefined, http: HttpReply | undefined): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete') return COMPLETE;
    const text = http?.body ?? (message === undefined ? '' : JSON.stringify(message));
    if (this.state === 'streaming') {
      if (message === undefined) return 'the answer has begun as a stream';
      const why = this.pass(encodeEvent(Buffer.from(JSON.stringify(message)), this.lastBlock));
      if (why === undefined) this.answered();
      return why;
    }
    this.state = 'complete';
    this.isAnswered = true;
    const bytes = Buffer.from(text);
    let headers = serverHeaders(this.server.headers);
    for (const [name, value] of Object.entries(http === undefined ? {} : replyHeaders(http, Date.now())))
      headers = withHeader(headers, name, value);
    if (http?.body === undefined && message !== undefined) headers = withHeader(headers, 'Content-Type', 'application/json');
    this.response.writeHead(http?.status ?? 200, withBodyLength(headers, bytes.length));
    this.response.end(bytes);
    return undefined;
  }

  /** The head of a stream in the server's place. */
  private ourStream(): UpstreamHead {
    let headers = serverHeaders(this.server.headers);
    for (const [name, value] of OUR_STREAM_HEADERS) headers = withHeader(headers, name, value);
    return { status: 200, reason: 'OK', headers };
  }

  /** A sign of life without any message. */
  heartbeat(): Refusal {
    return this.pass(HEARTBEAT);
  }

  /** Cuts the connection. */
  reset(): Refusal {
    if (this.isGone) return GONE;
    this.events.flush();
    this.isCut = true;
    resetClient(this.response);
    return undefined;
  }

  /** Ends politely: the stream where there is one, else the connection, with the answer still missing. */
  end(): Refusal {
    if (this.isGone) return GONE;
    const { socket } = this.response;
    this.events.flush();
    this.isCut = true;
    if (this.state === 'streaming') this.response.end();
    else socket?.end(() => socket.destroy());
    return undefined;
  }

  /** One request upstream is over. */
  upstreamEnded(): void {
    this.openUpstreams--;
    this.hasUpstreamEnded = true;
    this.finishIfDone();
  }

  private blockOf(frame: Frame): Uint8Array | undefined {
    return frame === this.lastFrame ? this.lastBlock : this.blocks?.get(frame);
  }

  private answered(): void {
    this.isAnswered = true;
    this.finishIfDone();
  }

  private finishIfDone(): void {
    const isDone = (this.isAnswered && this.hasUpstreamEnded) || (this.openUpstreams === 0 && !this.owesAnswer);
    if (isDone && this.state === 'streaming' && !this.isGone) this.events.end();
  }

  private sendBytes(bytes: Uint8Array): Refusal {
    this.state = 'complete';
    this.isAnswered = true;
    writeHead(this.response, this.headFor(bytes.length));
    this.response.end(bytes);
    return undefined;
  }

  private headFor(byteCount: number): UpstreamHead {
    const head = this.head ?? OUR_JSON;
    return { ...head, headers: withHeader(withBodyLength(head.headers, byteCount), 'Content-Type', 'application/json') };
  }
}

/** Progress and the like belong to a call too, but only an answer, or what became of one, ends it. */
function endsCall(frame: Frame): boolean {
  const { kind } = frameHead(frame);
  return kind === 'response' || kind === 'other';
}
