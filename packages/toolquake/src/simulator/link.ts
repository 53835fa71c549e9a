/**
 * The way between a simulated agent and a simulated server. Every call goes through the same decider and performer as live
 * traffic; only the two ends are simulated. Frames are built from messages and never serialised.
 */
import {
  canonicalJson,
  createPerformer,
  engagementsOf,
  frameFromMessage,
  frameHead,
  frameObject,
  isObject,
  resultOf,
  type CallOutcome,
  type Decider,
  type Ends,
  type Exchange,
  type Frame,
  type JournalSink,
  type JsonObject,
  type MessageId,
  type Performer,
  type Session,
} from '@toolquake/sdk/core';
import type { VirtualClock } from './virtual-clock.js';

/** What the agent hears about a call. */
export type Hearing = {
  outcome: CallOutcome;
  /** Undefined where there is no result to judge. */
  isConformant: boolean | undefined;
  isUsable: boolean | undefined;
  /** It is not what the server answered to this call. The agent cannot know; we do. */
  isAltered: boolean;
  message: JsonObject | undefined;
  /** The session is gone: the client has to open a new one. */
  isSessionLost: boolean;
};

/** Who makes calls. Called once per call that was sent, never while it is being sent. `isFaulted`: a fault was delivered on it. */
export type Listener<Context> = (context: Context, hearing: Hearing, isFaulted: boolean) => void;

/** The far end of a link. */
export type FarEnd = {
  /** Hears a request; the answer comes when its time has come, with the exchange that it belongs to. */
  receive(frame: Frame, exchange: Exchange | undefined): void;
  /** Nobody waits for the answer to this request any more, and it may know. */
  abandon?(id: MessageId): void;
  /** Stops for a while: requests wait, nothing is lost. */
  freeze(forMs: number): void;
  /** Loses everything, and is gone for a while. Where it cannot do that itself, the link imitates it. */
  crash?(forMs: number): void;
};

/** The way back from the far end. */
export type WayBack = {
  answer(frame: Frame, exchange: Exchange | undefined): void;
  /** The connection broke before there was an answer. */
  lose(id: MessageId, exchange: Exchange | undefined): void;
};

/** What a link connects. */
export type LinkOptions<Context, Server extends FarEnd> = {
  readonly clock: VirtualClock;
  /** Made with the way back to us. */
  readonly createServer: (back: WayBack) => Server;
  readonly decider: Decider;
  readonly session: Session;
  readonly journal: JournalSink | undefined;
  /** What anything takes that the server had no part in: a refused connection, an answer made on the way. */
  readonly roundTripMs: number;
  /** How the agent judges a result that is not exactly what the server sent. */
  readonly judge: (result: unknown) => Pick<Hearing, 'isConformant' | 'isUsable'>;
  readonly listener: Listener<Context>;
  readonly onProblem: (error: unknown) => void;
};

/** See the module comment. Any number of calls may be under way at the same time. */
export type Link<Context, Server extends FarEnd> = {
  /** Sends a request; `task` groups calls, `context` comes back with what became of it. */
  send(frame: Frame, task: string | undefined, context: Context): void;
  /** Tells the other side that nobody waits for this call any more. Returns whether a fault was delivered on it. */
  cancel(id: MessageId): boolean;
  close(): void;
  readonly server: Server;
  readonly performer: Performer;
};

/** A call that the agent waits for. */
type Waiting<Context> = {
  readonly id: MessageId;
  readonly context: Context;
  /** What the server answered, to tell an altered answer from a true one. */
  served: unknown;
  exchange: Exchange | undefined;
};

const FINE: Hearing = { outcome: 'ok', isConformant: true, isUsable: true, isAltered: false, message: undefined, isSessionLost: false };

/** Connects an agent with a server. */
export function createLink<Context, Server extends FarEnd>(options: LinkOptions<Context, Server>): Link<Context, Server> {
  const { clock, session, roundTripMs, listener, judge } = options;
  let isConnected = false;
  let refusedUntilMs = 0;
  const waiting = new Map<MessageId, Waiting<Context>>();
  const extra = { handle: undefined, task: undefined as string | undefined };

  const wasFaulted = ({ exchange }: Waiting<Context>): boolean =>
    exchange?.engagements !== undefined && engagementsOf(exchange).some(({ isDelivered }) => isDelivered);

  const hand = (one: Waiting<Context>, hearing: Hearing): void => {
    waiting.delete(one.id);
    listener(one.context, hearing, wasFaulted(one));
  };

  const back: WayBack = {
    /** Hears what the server says about a call, and lets the performer have its way with it. */
    answer(frame, exchange) {
      const { id } = frameHead(frame);
      const one = waiting.get(id as MessageId);
      if (one !== undefined) one.served = (frame.message as JsonObject)['result'];
      const decision = exchange === undefined ? undefined : performAnswer(exchange, frame);
      if (decision?.effects === undefined && one !== undefined && waiting.has(one.id))
        hand(one, hear(frame.message as JsonObject, one.served));
    },
    lose(id, exchange) {
      tell(id, () => failure('disconnected'), 0);
      if (exchange !== undefined) performer.cancel(exchange);
    },
  };

  const server = options.createServer(back);

  const hear = (message: JsonObject, served: unknown): Hearing => {
    const result = message['result'];
    if (result === served && isObject(result) && result['isError'] === undefined) {
      if (result['structuredContent'] !== undefined) return FINE;
    }
    if ('error' in message) return failure('rpc-error', message);
    const isError = isObject(result) && result['isError'] === true;
    return {
      outcome: isError ? 'tool-error' : 'ok',
      ...judge(result),
      isAltered: result !== served && canonicalJson(result) !== canonicalJson(served),
      message,
      isSessionLost: false,
    };
  };

  /** Hands an answer to the agent, but never in the middle of a send. */
  const tell = (id: MessageId, make: (one: Waiting<Context>) => Hearing, afterMs: number): void => {
    clock.enqueue(afterMs, () => {
      // Late, second or unknown: the agent has no call that it could belong to.
      const one = waiting.get(id);
      if (one !== undefined) hand(one, make(one));
    });
  };

  const toClient = (frame: Frame): void => {
    const { kind, id } = frameHead(frame);
    if (kind !== 'response' || id === undefined) return;
    const message = frameObject(frame);
    tell(id, ({ served }) => (message === undefined ? failure('rpc-error') : hear(message, served)), 0);
  };

  /** The connection of one call breaks; of all calls when it is nobody's own. */
  const drop = (exchange: Exchange | undefined): void => {
    isConnected = false;
    const ids = exchange === undefined ? [...waiting.keys()] : exchange.id === undefined ? [] : [exchange.id];
    for (const id of ids) tell(id, () => failure('disconnected'), roundTripMs);
  };

  const ends: Ends = {
    send(frame, exchange) {
      if (frame.direction === 'to-server') server.receive(frame, exchange);
      else toClient(frame);
      return undefined;
    },
    sendSlice(frame, { isLast }, exchange) {
      return isLast ? ends.send(frame, exchange) : undefined;
    },
    reply(exchange, message, http) {
      // "Accepted" and nothing else: the agent goes on waiting.
      if (exchange.id === undefined || http?.status === 202) return undefined;
      const isHttpError = http !== undefined && http.status >= 400;
      const isBroken = message === undefined || http?.body !== undefined;
      const outcome: CallOutcome = isHttpError ? 'http-error' : 'rpc-error';
      tell(
        exchange.id,
        ({ served }) =>
          isHttpError || isBroken ? { ...failure(outcome, message), isSessionLost: http?.status === 404 } : hear(message, served),
        roundTripMs,
      );
      return undefined;
    },
    emit(frame) {
      if (frame !== 'heartbeat') toClient(frame);
      return undefined;
    },
    disconnect(how, forMs, exchange) {
      if (how !== 'reset' && how !== 'end') refusedUntilMs = clock.nowMs() + forMs;
      drop(exchange);
      return undefined;
    },
    signalServer(signal, forMs) {
      if (signal !== 'freeze' && signal !== 'crash') return 'a simulated server lasts as long as the run, and logs nothing';
      if (signal === 'freeze') server.freeze(forMs);
      else if (server.crash !== undefined) server.crash(forMs);
      else {
        refusedUntilMs = clock.nowMs() + forMs;
        drop(undefined);
      }
      return undefined;
    },
  };

  const performer = createPerformer({
    decider: options.decider,
    clock,
    ends,
    journal: options.journal,
    startedAtMs: 0,
    onProblem: options.onProblem,
  });

  const { request: performRequest, answer: performAnswer } = performer;

  /** A new connection, when the last one is gone; false when it was turned away. */
  const connect = (): boolean => {
    if (clock.nowMs() < refusedUntilMs) return false;
    isConnected = true;
    performer.connect(session);
    return isConnected;
  };

  return {
    send(frame, task, context) {
      const id = frameHead(frame).id as MessageId;
      const one: Waiting<Context> = { id, context, served: undefined, exchange: undefined };
      waiting.set(id, one);
      if (!isConnected && !connect()) return tell(id, () => failure('disconnected'), roundTripMs);
      extra.task = task;
      const { exchange, effects } = performRequest(session, frame, extra);
      one.exchange = exchange;
      if (effects === undefined) server.receive(frame, exchange);
    },
    cancel(id) {
      const one = waiting.get(id);
      if (one === undefined) return false;
      waiting.delete(id);
      // Before the cancel: it settles what is left as not delivered.
      const isFaulted = wasFaulted(one);
      if (isConnected) {
        if (performer.request(session, cancelFrame(id)).effects === undefined) server.abandon?.(id);
      } else if (one.exchange !== undefined) {
        // There is no way to tell the other side, but nobody has to remember the call.
        performer.cancel(one.exchange);
      }
      return isFaulted;
    },
    close() {
      performer.close(session);
    },
    performer,
    server,
  };
}

/** What an agent hears when there is no result. */
export const failure = (outcome: CallOutcome, message?: JsonObject): Hearing => ({
  outcome,
  isConformant: undefined,
  isUsable: undefined,
  isAltered: false,
  message,
  isSessionLost: false,
});

/** The names in an answer to `tools/list`; undefined when it is none. */
export function listedTools(message: JsonObject | undefined): readonly string[] | undefined {
  const tools = resultOf(message)?.['tools'];
  if (!Array.isArray(tools)) return undefined;
  return tools.flatMap((tool: unknown) => (isObject(tool) && typeof tool['name'] === 'string' ? [tool['name']] : []));
}

/** What a client says when it gives up on a call. */
function cancelFrame(requestId: MessageId): Frame {
  return frameFromMessage('to-server', { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason: 'timeout' } });
}

/** What a client says first: who it is, then which tools there are. */
export function openingFrame(id: number, method: 'initialize' | 'tools/list'): Frame {
  const introduction = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'agent', version: '1' } };
  return frameFromMessage('to-server', { jsonrpc: '2.0', id, method, params: method === 'initialize' ? introduction : {} });
}
