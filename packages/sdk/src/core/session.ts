/** A session and its exchanges: who talks, in which era, and which request an answer belongs to. No I/O. */
import { frameHead, frameObject, type Frame } from './frame.js';
import { callsByName, isObject, paramsOf, type Direction, type MessageId } from './message.js';

/** The protocol era: legacy has `initialize` and sessions, modern (2026-07-28) is stateless. */
export type Era = 'legacy' | 'modern';

/** One side of a conversation as the rules see it. */
export type Session = {
  /** A stable name for draws and reports: configured header, else client name + ordinal, else `default`. */
  label: string;
  era: Era | undefined;
  /** The name of the server under study, for `when: { target }`. */
  readonly target: string | undefined;
  /** A `Site`, where one decider serves several; undefined: every rule may act. Only the matcher looks inside. */
  readonly site: object | undefined;
  /** Requests and notifications seen so far, by the way they travelled. */
  readonly requests: { 'to-server': number; 'to-client': number };
  /** Requests still waiting, by origin and id. A server may use the same ids as the client. */
  readonly waiting: { readonly 'to-server': Map<MessageId, Exchange>; readonly 'to-client': Map<MessageId, Exchange> };
  /** Unanswered requests whose id was used again: no answer finds them by id, but the journal must still say so. */
  readonly displaced: Set<Exchange>;
  /** Interned scope keys, one per tool. */
  readonly scopeKeys: Map<string, string>;
};

/** A request (or notification) and what came of it. */
export type Exchange = {
  readonly session: Session;
  /** 1 for the first request or notification of the session in its direction. */
  readonly ordinal: number;
  /** The way the request travelled. */
  readonly origin: Direction;
  readonly id: MessageId | undefined;
  readonly method: string;
  readonly tool: string | undefined;
  readonly task: string | undefined;
  readonly request: Frame;
  readonly startedAtMs: number;
  /** Answers seen from the other side so far, this one included while it is being decided. */
  answers: number;
  /** Times the request went on to the other side. */
  sends: number;
  isCancelled: boolean;
  /** The caller said that it gave up for time. */
  isTimedOut: boolean;
  /** The journal knows what the caller saw. */
  isReported: boolean;
  /** Filled by the decider; undefined while no rule cares. */
  engagements: readonly unknown[] | undefined;
  /** The transport's own handle (an HTTP response, a simulated call). Nobody else looks inside. */
  handle: unknown;
};

/** Starts a session. The label may change once, when the client says its name. */
export function startSession(
  options: { label?: string; target?: string | undefined; era?: Era | undefined; site?: object | undefined } = {},
): Session {
  return {
    label: options.label ?? 'default',
    era: options.era,
    target: options.target,
    site: options.site,
    requests: { 'to-server': 0, 'to-client': 0 },
    waiting: { 'to-server': new Map(), 'to-client': new Map() },
    displaced: new Set(),
    scopeKeys: new Map(),
  };
}

/** More unanswered requests than this in one session: the oldest is forgotten, so that no peer can grow our memory. */
const MAX_WAITING = 65_536;
/** The same for requests whose id was used again. */
const MAX_DISPLACED = 4096;

/** Starts an exchange for a request or notification that was counted. Requests with an id wait for their answer. */
export function openExchange(session: Session, frame: Frame, nowMs: number, task?: string): Exchange {
  const head = frameHead(frame);
  const exchange: Exchange = {
    session,
    ordinal: session.requests[frame.direction],
    origin: frame.direction,
    id: head.id,
    method: head.method ?? '',
    tool: head.method !== undefined && callsByName(head.method) ? head.tool : undefined,
    task,
    request: frame,
    startedAtMs: nowMs,
    answers: 0,
    sends: 0,
    isCancelled: false,
    isTimedOut: false,
    isReported: false,
    engagements: undefined,
    handle: undefined,
  };
  if (head.kind === 'request' && head.id !== undefined) {
    const waiting = session.waiting[frame.direction];
    const known = waiting.get(head.id);
    if (known !== undefined && session.displaced.size < MAX_DISPLACED) session.displaced.add(known);
    if (waiting.size >= MAX_WAITING) waiting.delete(waiting.keys().next().value!);
    waiting.set(head.id, exchange);
  }
  return exchange;
}

/** The exchange that a response answers, if its request was seen. The request travelled the other way. */
export function exchangeOf(session: Session, response: Frame): Exchange | undefined {
  const { id } = frameHead(response);
  if (id === undefined) return undefined;
  return session.waiting[response.direction === 'to-client' ? 'to-server' : 'to-client'].get(id);
}

/** Forgets a finished exchange. A newer exchange with the same id stays. */
export function closeExchange(exchange: Exchange): void {
  if (exchange.id === undefined) return;
  const waiting = exchange.session.waiting[exchange.origin];
  exchange.session.displaced.delete(exchange);
  if (waiting.get(exchange.id) === exchange) waiting.delete(exchange.id);
}

/** Does somebody in this very session still wait for it? Labels can outlive a session: one under the same label is another client. */
export function isOpenIn(exchange: Exchange | undefined, session: Session): boolean {
  return exchange?.session === session && !exchange.isReported && !exchange.isCancelled;
}

/** Clients that cancel because of their own timeout say so in words of their library. */
const FOR_TIME = /\btime(?:d|s)?[ -]?out|\bdeadline\b|-32001\b/i;

/** Does a `notifications/cancelled` frame give time as its reason? */
export function isForTime(frame: Frame): boolean {
  const { reason } = paramsOf(frameObject(frame));
  return typeof reason === 'string' && FOR_TIME.test(reason.slice(0, 1000));
}

/** Is it the answer to this very request? */
export function isAnswerTo(frame: Frame | 'heartbeat', exchange: Exchange | undefined): frame is Frame {
  if (frame === 'heartbeat' || exchange === undefined || frame.direction === exchange.origin) return false;
  const { kind, id } = frameHead(frame);
  return kind === 'response' && id === exchange.id;
}

/** Requests of clients that wait for an answer. */
export function countWaiting(sessions: Iterable<Session>): number {
  let count = 0;
  for (const { waiting, displaced } of sessions) count += waiting['to-server'].size + displaced.size;
  return count;
}

/** The exchange that a `notifications/cancelled` frame cancels, if it is still waiting. */
export function cancelledExchange(session: Session, frame: Frame): Exchange | undefined {
  if (frameHead(frame).method !== 'notifications/cancelled') return undefined;
  const id = paramsOf(frameObject(frame))['requestId'];
  return typeof id === 'string' || typeof id === 'number' ? session.waiting[frame.direction].get(id) : undefined;
}

const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_KEY = 'io.modelcontextprotocol/clientInfo';

/** What a client's message says about itself: its era, and its name where the era announces one. */
export function introductionOf(frame: Frame): { era: Era; clientName: string | undefined } | undefined {
  const message = frameObject(frame);
  const params = message?.['params'];
  if (!isObject(params)) return undefined;
  if (message?.['method'] === 'initialize') return { era: 'legacy', clientName: nameOf(params['clientInfo']) };
  const meta = params['_meta'];
  if (!isObject(meta) || typeof meta[VERSION_KEY] !== 'string') return undefined;
  return { era: 'modern', clientName: nameOf(meta[CLIENT_KEY]) };
}

/** The protocol version that a modern request is written in. */
export function requestedVersion(request: Frame): string | undefined {
  const meta = paramsOf(frameObject(request))['_meta'];
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined;
  return typeof version === 'string' ? version : undefined;
}

function nameOf(value: unknown): string | undefined {
  return isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
}

/** Names that clients invent are remembered up to these bounds. */
const MAX_NAMES = 1024;
const MAX_NAME_LENGTH = 256;

/** The key that draws of a session depend on: label + tool (or method, or `connect`). Interned, because every match needs it. */
export function scopeKey(session: Session, place: string): string {
  const known = session.scopeKeys.get(place);
  if (known !== undefined) return known;
  // Bounded in number and length: a client that invents names pays for the concatenation, not we with memory.
  if (place.length > MAX_NAME_LENGTH) return `${session.label}/${place.slice(0, MAX_NAME_LENGTH)}`;
  const key = `${session.label}/${place}`;
  if (session.scopeKeys.size < MAX_NAMES) session.scopeKeys.set(place, key);
  return key;
}

/** Names a session once its client introduced itself; keys made before are forgotten with the old label. */
export function renameSession(session: Session, label: string): void {
  session.label = label;
  session.scopeKeys.clear();
}

/** Gives out labels: client name + ordinal, so that a label never depends on a random session id. */
export function createSessionNames(): (clientName: string) => string {
  const counts = new Map<string, number>();
  return (clientName) => {
    const name = clientName.slice(0, MAX_NAME_LENGTH);
    const ordinal = (counts.get(name) ?? 0) + 1;
    if (counts.size < MAX_NAMES || ordinal > 1) counts.set(name, ordinal);
    return `${name}#${ordinal}`;
  };
}
