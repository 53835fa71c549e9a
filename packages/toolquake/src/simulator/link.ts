/**
 * The way between a simulated agent and a simulated server. Every call goes through the same decider and performer as live
 * traffic; only the two ends are simulated. Frames are built from messages and never serialised.
 */
import {
  canonicalJson,
  createPerformer,
  engagementsOf,
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
import { isConformant, isUsable, type SimulatedServer } from './server.js';
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

/** Who makes calls. Called once per call that was sent, never while it is being sent. */
export type Listener = (id: MessageId, hearing: Hearing) => void;

/** What a link connects. */
export type LinkOptions = {
  readonly clock: VirtualClock;
  /** Made with the way back to us. */
  readonly createServer: (answer: (frame: Frame, exchange: Exchange | undefined) => void) => SimulatedServer;
  readonly decider: Decider;
  readonly session: Session;
  readonly journal: JournalSink | undefined;
  /** What anything takes that the server had no part in: a refused connection, an answer made on the way. */
  readonly roundTripMs: number;
  readonly listener: Listener;
  readonly onProblem: (error: unknown) => void;
};

/** See the module comment. */
export type Link = {
  /** Sends a request; `task` groups calls. */
  send(frame: Frame, task: string | undefined): void;
  /** Tells the other side that nobody waits for this call any more. */
  cancel(frame: Frame): void;
  close(): void;
  readonly server: SimulatedServer;
  /** Did the last call that was sent meet a fault? */
  wasFaulted(): boolean;
  readonly performer: Performer;
};

const FINE: Hearing = { outcome: 'ok', isConformant: true, isUsable: true, isAltered: false, message: undefined, isSessionLost: false };

/** Connects an agent with a server. */
export function createLink(options: LinkOptions): Link {
  const { clock, session, roundTripMs, listener } = options;
  let isConnected = false;
  let refusedUntilMs = 0;
  /** What the server answered to the call that is under way, to tell an altered answer from a true one. */
  let waitingId: MessageId | undefined;
  let served: unknown;
  let lastExchange: Exchange | undefined;
  const extra = { handle: undefined, task: undefined as string | undefined };

  /** Hears what the server says about a call, and lets the performer have its way with it. */
  const onAnswer = (frame: Frame, exchange: Exchange | undefined): void => {
    const { id } = frameHead(frame);
    if (id === waitingId) served = (frame.message as JsonObject)['result'];
    const decision = exchange === undefined ? undefined : performAnswer(exchange, frame);
    if (decision?.effects === undefined && id === waitingId) {
      waitingId = undefined;
      listener(id as MessageId, hear(frame.message as JsonObject));
    }
  };

  const server = options.createServer(onAnswer);

  const hear = (message: JsonObject): Hearing => {
    const result = message['result'];
    if (result === served && isObject(result) && result['isError'] === undefined) {
      if (result['structuredContent'] !== undefined) return FINE;
    }
    if ('error' in message) return failure('rpc-error', message);
    const isError = isObject(result) && result['isError'] === true;
    return {
      outcome: isError ? 'tool-error' : 'ok',
      isConformant: isConformant(result),
      isUsable: isUsable(result),
      isAltered: result !== served && canonicalJson(result) !== canonicalJson(served),
      message,
      isSessionLost: false,
    };
  };

  /** Hands an answer to the agent, but never in the middle of a send. */
  const tell = (id: MessageId, make: () => Hearing, afterMs: number): void => {
    clock.enqueue(afterMs, () => {
      // Late, second or unknown: the agent has no call that it could belong to.
      if (id !== waitingId) return;
      waitingId = undefined;
      listener(id, make());
    });
  };

  const toClient = (frame: Frame): void => {
    const { kind, id } = frameHead(frame);
    if (kind !== 'response' || id === undefined) return;
    const message = frameObject(frame);
    tell(id, () => (message === undefined ? failure('rpc-error') : hear(message)), 0);
  };

  const drop = (): void => {
    isConnected = false;
    if (waitingId !== undefined) tell(waitingId, () => failure('disconnected'), roundTripMs);
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
        () => (isHttpError || isBroken ? { ...failure(outcome, message), isSessionLost: http?.status === 404 } : hear(message)),
        roundTripMs,
      );
      return undefined;
    },
    emit(frame) {
      if (frame !== 'heartbeat') toClient(frame);
      return undefined;
    },
    disconnect(how, forMs) {
      if (how !== 'reset' && how !== 'end') refusedUntilMs = clock.nowMs() + forMs;
      drop();
      return undefined;
    },
    signalServer(signal, forMs) {
      if (signal === 'freeze') server.freeze(forMs);
      else {
        refusedUntilMs = clock.nowMs() + forMs;
        drop();
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
    send(frame, task) {
      const { id } = frameHead(frame);
      waitingId = id;
      served = undefined;
      if (!isConnected && !connect()) {
        if (waitingId !== undefined) tell(waitingId, () => failure('disconnected'), roundTripMs);
        return;
      }
      extra.task = task;
      const { exchange, effects } = performRequest(session, frame, extra);
      lastExchange = exchange;
      if (effects === undefined) server.receive(frame, exchange);
    },
    cancel(frame) {
      waitingId = undefined;
      if (isConnected) performer.request(session, frame);
    },
    close() {
      performer.close(session);
    },
    wasFaulted: () => lastExchange?.engagements !== undefined && engagementsOf(lastExchange).some(({ isDelivered }) => isDelivered),
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
