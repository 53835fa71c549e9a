/** One fetch on its way: the reply its caller waits for, and the responses that the server gives to it. */
import { frameFromBytes, type Frame } from '../core/frame.js';
import type { Exchange, Session } from '../core/session.js';
import { createEventFramer, eventData, joinBytes, type EventBlock } from '../core/event-stream.js';
import { abortReason } from './fetch-errors.js';
import { createReply, type Reply } from './fetch-reply.js';
import type { FetchFunction, OutgoingRequest } from './fetch-request.js';

/** See the module comment. */
export type Call = {
  readonly request: OutgoingRequest;
  readonly session: Session;
  readonly reply: Reply;
  exchange: Exchange | undefined;
  /** Answers of the server to this call's own request. */
  answersSeen: number;
  /** The event that the answer came in: an edited answer keeps its id. */
  answerBlock: Uint8Array | undefined;
  /** The caller has an answer. */
  isAnswered: boolean;
  /** Times that the request is with the server right now. */
  upstreams: number;
  /** Ends a call that nobody looks at, while it waits for its response. */
  breakOff: ((error: unknown) => void) | undefined;
  /** Breaks every connection of this call to the server. */
  readonly connection: AbortController;
};

/** What a call asks the wrapper. */
export type CallWorld = {
  readonly fetch: FetchFunction;
  readonly maxFrameBytes: number;
  /** A frame came from the server. True: nobody has taken it, relay it. */
  arrive(call: Call, frame: Frame, block: Uint8Array | undefined): boolean;
  /** Resolves when a frame that was taken is sent on after all. */
  sentOn(frame: Frame): Promise<void>;
  /** Resolves at once, or when the server that we pretend to have frozen moves again. */
  thawed(): Promise<void>;
  /** The response has a head. */
  onResponse(call: Call, response: Response): void;
  /** Nothing more will be said about the call. */
  onDone(call: Call): void;
  /** The caller gave up: its signal aborted, or it stopped reading. */
  onGone(call: Call): void;
};

/** Starts a call; nothing is sent yet. */
export const createCall = (request: OutgoingRequest, session: Session, world: CallWorld): Call => new PendingCall(request, session, world);

/** A class, because getters in a literal cost more than all the rest: what only a call under rules needs is made when it is asked for. */
class PendingCall implements Call {
  readonly request: OutgoingRequest;
  readonly session: Session;
  readonly #world: CallWorld;
  exchange: Exchange | undefined = undefined;
  answersSeen = 0;
  answerBlock: Uint8Array | undefined = undefined;
  isAnswered = false;
  upstreams = 0;
  breakOff: ((error: unknown) => void) | undefined = undefined;
  #reply: Reply | undefined = undefined;
  #connection: AbortController | undefined = undefined;

  constructor(request: OutgoingRequest, session: Session, world: CallWorld) {
    this.request = request;
    this.session = session;
    this.#world = world;
  }

  get reply(): Reply {
    return (this.#reply ??= startReply(this, this.#world));
  }

  get connection(): AbortController {
    return (this.#connection ??= new AbortController());
  }
}

function startReply(call: Call, world: CallWorld): Reply {
  const { signal } = call.request;
  const gone = (reason: unknown): void => {
    world.onGone(call);
    call.connection.abort(reason);
  };
  const onAbort = (): void => {
    if (reply.isDone || signal === undefined) return;
    reply.abort(abortReason(signal));
    gone(abortReason(signal));
  };
  const onDone = (): void => {
    signal?.removeEventListener('abort', onAbort);
    world.onDone(call);
  };
  const reply = createReply({ onGone: gone, onDone });
  signal?.addEventListener('abort', onAbort, { once: true });
  return reply;
}

/** The plain response, for a call that nobody looks at; a crash takes it down all the same. */
export function passOn(call: Call, world: CallWorld): Promise<Response> {
  return new Promise((resolve, reject) => {
    const over = (): void => {
      call.breakOff = undefined;
      world.onDone(call);
    };
    call.breakOff = (error) => {
      over();
      reject(error as Error);
    };
    call.request.send(world.fetch).then(
      (response) => {
        over();
        resolve(response);
      },
      (error: unknown) => {
        over();
        reject(error as Error);
      },
    );
  });
}

/** Sends the request (or other bytes in its place) to the server and relays what comes back. Never rejects. */
export async function launch(call: Call, world: CallWorld, body?: Uint8Array): Promise<void> {
  call.upstreams++;
  let failure: { readonly error: unknown } | undefined;
  try {
    await world.thawed();
    const change = { signal: call.connection.signal, ...(body === undefined ? {} : { body }) };
    const response = await call.request.send(world.fetch, change);
    await world.thawed();
    world.onResponse(call, response);
    await relay(response, call, world);
  } catch (error) {
    failure = { error };
  }
  call.upstreams--;
  // An answer that a fault keeps back is not lost because the server has hung up since.
  const isKeptBack = call.answersSeen > 0 && !call.isAnswered;
  if (isKeptBack) return;
  if (failure !== undefined) call.reply.fail(failure.error);
  else if (call.upstreams === 0) call.reply.end();
}

/** The caller has its answer: a JSON body ends with it, a stream when the server has no more to say. */
export function answered(call: Call): void {
  call.isAnswered = true;
  if (call.reply.mode === 'whole' || call.upstreams === 0) call.reply.end();
}

async function relay(response: Response, call: Call, world: CallWorld): Promise<void> {
  const type = response.headers.get('content-type') ?? '';
  if (response.body === null || !(type.includes('json') || type.includes('text/event-stream'))) return call.reply.respond(response);
  if (type.includes('json')) {
    call.reply.adopt(response, 'whole');
    return relayWhole(response.body.getReader(), call, world);
  }
  call.reply.adopt(response, 'events');
  if (call.exchange?.engagements === undefined) call.reply.beginEvents();
  return relayEvents(response.body.getReader(), call, world);
}

type Reader = ReadableStreamDefaultReader<Uint8Array>;

async function relayWhole(reader: Reader, call: Call, world: CallWorld): Promise<void> {
  const { reply } = call;
  const parts: Uint8Array[] = [];
  let size = 0;
  let isOpaque = false;
  for (;;) {
    const { done, value } = await readOrFlush(reader, () => reply.write(joinBytes(parts)));
    if (done) break;
    size += value.length;
    parts.push(value);
    if (size > world.maxFrameBytes) {
      isOpaque = true;
      break;
    }
  }
  await world.thawed();
  const bytes = joinBytes(parts);
  const frame = frameFromBytes('to-client', bytes, isOpaque);
  if (world.arrive(call, frame, undefined)) reply.writeMessage(bytes, undefined, false);
  else if (isOpaque) await world.sentOn(frame);
  if (isOpaque) await pipe(reader, reply);
}

async function relayEvents(reader: Reader, call: Call, world: CallWorld): Promise<void> {
  const { reply } = call;
  const splitter = createEventFramer(world.maxFrameBytes);
  const flush = (): void => reply.write(splitter.end()?.bytes ?? new Uint8Array(0));
  for (;;) {
    const { done, value } = await readOrFlush(reader, flush);
    if (done) return flush();
    await world.thawed();
    for (const block of splitter.push(value)) await relayBlock(block, call, world);
    await reply.wanted();
  }
}

async function relayBlock({ bytes, part }: EventBlock, call: Call, world: CallWorld): Promise<void> {
  const data = part === 'whole' || part === 'start' ? eventData(bytes) : undefined;
  if (data === undefined) return call.reply.write(bytes);
  const frame = frameFromBytes('to-client', data, part === 'start');
  if (world.arrive(call, frame, bytes)) call.reply.writeMessage(data, bytes, false);
  // The rest of an oversize event has to follow its start, so the stream waits for what becomes of it.
  else if (part === 'start') await world.sentOn(frame);
}

/** Reads; when the stream breaks, what was read before is handed over first, as without us. */
async function readOrFlush(
  reader: Reader,
  flush: () => void,
): Promise<{ done: true; value?: undefined } | { done: false; value: Uint8Array }> {
  try {
    const { done, value } = await reader.read();
    return done ? { done } : { done, value };
  } catch (error) {
    flush();
    throw error;
  }
}

async function pipe(reader: Reader, reply: Reply): Promise<void> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    reply.write(value);
    await reply.wanted();
  }
}
