/**
 * The client's end of one HTTP request: what was answered so far, and every way to go on from there. An answer is one
 * body, or an event stream; which of them is up to the server, and to us only where the server has not spoken yet.
 */
import {
  batchBytes,
  createBatchSieve,
  encodeEvent,
  eventOpening,
  frameBytes,
  frameFromMessage,
  frameHead,
  HEARTBEAT,
  replyHeaders,
  type BatchSieve,
  type Frame,
  type HttpReply,
  type JsonObject,
  type Refusal,
} from '@toolquake/sdk/core';
import type { HttpResponse } from './http-codec.js';
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

/** What is due to a client that posted several messages at once. */
export type BatchDue = {
  /** Calls whose answer, or request, is in the hands of a fault. */
  readonly owed: Set<object>;
  readonly answered: Set<object>;
  /** Answers that wait until it is known whether the server answers with a stream or with one array. */
  gathered: Frame[];
};

/** See the module comment. */
export class Lane {
  readonly response: HttpResponse;
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
  /** The server numbers its events, so a client that lost the stream may ask for the rest of it. */
  hasEventIds = false;
  /** Set when the client posted a batch. */
  batch: BatchDue | undefined;
  /** Hears of every message that was delivered. */
  onDelivered: ((frame: Frame) => void) | undefined;
  private ownSieve: BatchSieve | undefined;
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

  constructor(response: HttpResponse, accept: string | undefined, server: KnownServer) {
    this.response = response;
    this.server = server;
    this.events = new EventWriter(response);
    this.acceptsEvents = accept?.toLowerCase().includes('text/event-stream') === true;
  }

  /** Takes what is delivered while a batch of the server is being decided on. Most lanes never see one. */
  get sieve(): BatchSieve {
    return (this.ownSieve ??= createBatchSieve());
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
    // It could not be said in the stream later.
    if (this.whole?.frame.isOpaque === true) return 'too large';
    const isServers = this.head !== undefined && isEventStream(this.head.headers);
    if (!isServers && !this.acceptsEvents) return 'the client does not accept event streams';
    this.state = 'streaming';
    writeHead(this.response, isServers ? this.head! : this.ourStream());
    process.nextTick(flushHead, this.response);
    const waiting = this.batch?.gathered ?? [];
    if (this.batch !== undefined) this.batch.gathered = [];
    for (const frame of waiting) this.events.pass(encodeEvent(frameBytes(frame)));
    return undefined;
  }

  /** An answer to `call` is in the hands of a fault: nothing may end before it. */
  owe(call: object): void {
    if (this.batch === undefined) this.owesAnswer = !this.isAnswered;
    else if (!this.batch.answered.has(call)) this.batch.owed.add(call);
  }

  /** Is the answer to `call` in the hands of a fault? */
  owes(call: object): boolean {
    return this.batch === undefined ? this.owesAnswer : this.batch.owed.has(call);
  }

  /** Is any answer still in the hands of a fault? */
  get isOwing(): boolean {
    return this.batch === undefined ? this.owesAnswer : this.batch.owed.size > 0;
  }

  /** Writes bytes of the stream as they came. */
  pass(bytes: Uint8Array): Refusal {
    const why = this.openStream();
    if (why === undefined) this.events.pass(bytes);
    return why;
  }

  /** Delivers a message, which is the answer to `call`: in its place, while a batch is being decided on. */
  deliver(frame: Frame, call?: object): Refusal {
    if (this.isGone) return GONE;
    if (this.ownSieve?.take(frame) !== true) return this.say(frame, call);
    if (endsCall(frame)) this.noteAnswer(call);
    return undefined;
  }

  /** Says a message now: as the server's own body or event where it is untouched, else in the same form. */
  say(frame: Frame, call?: object): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete') return COMPLETE;
    // First: a compressed stream comes as one body.
    if (frame === this.whole?.frame && this.state === 'waiting') return this.sendWhole(this.head ?? OUR_JSON, this.whole.body);
    const isAnswer = endsCall(frame) || frame === this.whole?.frame;
    const isStream = this.state === 'streaming' || (this.head !== undefined && isEventStream(this.head.headers));
    if (isStream) {
      const block = this.blockOf(frame);
      if (block === undefined && frame.isOpaque) return 'too large';
      const why = this.pass(block ?? encodeEvent(frameBytes(frame), this.lastBlock));
      if (why === undefined) this.onDelivered?.(frame);
      if (why === undefined && isAnswer) this.answered(call);
      return why;
    }
    if (frame.isOpaque) return 'too large';
    if (this.batch === undefined) return this.sendBytes(frameBytes(frame));
    this.batch.gathered.push(frame);
    this.answered(call);
    return undefined;
  }

  /** What is left of the server's answer to a batch. It becomes a stream where a fault still owes some of it. */
  sayAll(frames: readonly Frame[], rebuilt: () => Uint8Array): void {
    if (this.isGone || this.state === 'complete') return;
    const due = this.batch;
    const isLast = !this.isOwing && this.openUpstreams <= 1 && (due?.gathered.length ?? 0) === 0;
    if (this.state === 'waiting' && isLast) {
      if (frames.length > 0) this.sendBytes(rebuilt());
    } else if (frames.length > 0 && this.isOwing && this.openStream() !== undefined) due?.gathered.push(...frames);
    else for (const frame of frames) this.say(frame);
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
  slice(frame: Frame, slice: Slice, call?: object): Refusal {
    if (this.isGone) return GONE;
    // An array cannot be cut inside one of its elements: the client gets events instead, where it reads them.
    const whyNot = this.batch === undefined ? undefined : this.openStream();
    if (whyNot !== undefined) return whyNot;
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
      if (endsCall(frame)) this.answered(call);
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
  reply(message: JsonObject | undefined, http: HttpReply | undefined, call?: object): Refusal {
    if (this.isGone) return GONE;
    if (this.state === 'complete') return COMPLETE;
    if (this.batch !== undefined && call !== undefined)
      return message === undefined
        ? 'one message of a batch has no status of its own'
        : this.say(frameFromMessage('to-client', message), call);
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

  /** One request upstream is over. Nothing ends before that where it was the last one. */
  upstreamEnded(): void {
    this.openUpstreams--;
    this.hasUpstreamEnded = true;
    this.finishIfDone();
  }

  /** The session is over, and with it what a fault had in its hands: nobody is left to wait for that. */
  sessionEnded(): void {
    this.owesAnswer = false;
    this.batch?.owed.clear();
    if (this.openUpstreams > 0 || this.isAnswered) return;
    this.finishIfDone();
    if (!this.response.writableEnded) this.end();
  }

  private blockOf(frame: Frame): Uint8Array | undefined {
    return frame === this.lastFrame ? this.lastBlock : this.blocks?.get(frame);
  }

  /** Takes note that the answer to `call` is on its way to the client. */
  noteAnswer(call: object | undefined): void {
    if (this.batch === undefined) this.isAnswered = true;
    else if (call !== undefined) {
      this.batch.answered.add(call);
      this.batch.owed.delete(call);
    }
  }

  private answered(call?: object): void {
    this.noteAnswer(call);
    this.finishIfDone();
  }

  /** Ends the answer when nothing more is due: neither by the server nor by a fault. */
  finishIfDone(): void {
    if (this.isGone) return;
    const { batch } = this;
    const isOver = this.openUpstreams === 0 && !this.isOwing;
    if (this.state === 'streaming' && ((batch === undefined && this.isAnswered && this.hasUpstreamEnded) || isOver)) {
      this.isAnswered ||= batch !== undefined;
      this.events.end();
    }
    if (this.state === 'waiting' && batch !== undefined && isOver && batch.gathered.length > 0) this.sendBytes(batchBytes(batch.gathered));
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
