/**
 * The simulator as a transport: a scripted conversation between a client and a pure server on virtual time, through
 * the same decider and performer as every live transport. Messages are handed over as objects; nothing is serialised.
 */
import {
  createDecider,
  describeProblem,
  createPerformer,
  createSessionNames,
  exchangeOf,
  frameFromMessage,
  frameHead,
  frameObject,
  isConnectFailure,
  JOURNAL_VERSION,
  keyedRandom,
  listedRules,
  replyHeaders,
  startSession,
  type ConnectFailure,
  type DisconnectHow,
  type Ends,
  type Frame,
  type JournalEntry,
  type JsonObject,
  type MessageId,
  type Plan,
  type RandomSource,
  type Refusal,
  type Session,
} from '@toolquake/sdk/core';
import { createVirtualClock } from './virtual-clock.js';

/** What a simulated server says about a message: each answer comes so long after the message. */
export type ScriptedServer = (message: JsonObject) => readonly { readonly message: JsonObject; readonly afterMs: number }[];

/** What one side saw, and when. */
export type Seen =
  | { readonly atMs: number; readonly what: 'message'; readonly message: JsonObject; readonly slices?: number }
  | {
      readonly atMs: number;
      readonly what: 'http';
      readonly id: MessageId | undefined;
      readonly status: number;
      readonly headers: Readonly<Record<string, string>>;
      readonly message: JsonObject | undefined;
    }
  /** Bytes that are no JSON object, where a message should be. */
  | { readonly atMs: number; readonly what: 'garbage' }
  | { readonly atMs: number; readonly what: 'heartbeat' }
  | { readonly atMs: number; readonly what: 'stderr'; readonly bytes: number }
  /** `code` where the connection failed for another reason than that nobody listens. */
  | { readonly atMs: number; readonly what: 'refused'; readonly code?: ConnectFailure }
  | { readonly atMs: number; readonly what: 'disconnected'; readonly how: 'reset' | 'end'; readonly id: MessageId | undefined };

/** What a server saw: messages, and that its client is gone, so that it went too. */
export type SeenByServer = Seen | { readonly atMs: number; readonly what: 'ended' };

/** Everything that was seen, in order. */
export type Transcript = { readonly client: readonly Seen[]; readonly server: readonly SeenByServer[] };

/** One step of a script. A client cancels by sending `notifications/cancelled`. */
export type Step =
  | { readonly kind: 'connect' }
  | { readonly kind: 'client-sends'; readonly message: JsonObject }
  | { readonly kind: 'server-sends'; readonly message: JsonObject }
  | { readonly kind: 'advance'; readonly ms: number }
  /** Lets time pass until nothing is left to happen; at most so many events, because an emit may repeat for long. */
  | { readonly kind: 'settle'; readonly maxEvents: number }
  | { readonly kind: 'close' };

/** What a conversation is made from. */
export type ConversationOptions = {
  readonly plan: Plan;
  readonly server: ScriptedServer;
  readonly random?: RandomSource;
  readonly target?: string;
};

/** A conversation that its owner drives step by step. */
export type Conversation = {
  take(step: Step): void;
  /** Lets events happen until the test holds; false when nothing is left to happen before that. */
  until(holds: () => boolean): boolean;
  nowMs(): number;
  readonly transcript: Transcript;
  readonly journal: readonly JournalEntry[];
};

/** Starts a conversation; nobody is connected yet. */
export function startConversation(options: ConversationOptions): Conversation {
  const { plan, server, target } = options;
  const clock = createVirtualClock();
  const journal: JournalEntry[] = [];
  const client: Seen[] = [];
  const served: SeenByServer[] = [];
  let session = startSession({ target });
  let isConnected = false;
  let failing: { readonly how: DisconnectHow; readonly untilMs: number } = { how: 'refuse', untilMs: 0 };
  let frozenUntilMs = 0;
  /** How long the server stays when its client is gone. */
  let staysMs = 0;
  let slices = 0;
  /** Sessions that a crash has ended: a client that comes back has a new one. */
  const crashed = new WeakSet<Session>();

  const clientSees = (seen: Seen): Refusal => {
    if (!isConnected && seen.what !== 'refused') return 'the client has closed the connection';
    client.push(seen);
    return undefined;
  };

  const seenOf = (frame: Frame, sliced: { slices?: number } = {}): Seen => {
    const message = frameObject(frame);
    return message === undefined ? { atMs: clock.nowMs(), what: 'garbage' } : { atMs: clock.nowMs(), what: 'message', message, ...sliced };
  };

  const refused = (): Seen => {
    const { how } = failing;
    return { atMs: clock.nowMs(), what: 'refused', ...(isConnectFailure(how) ? { code: how } : {}) };
  };

  /** A frozen server takes nothing in and lets nothing out; what was on its way goes on afterwards. */
  const unlessFrozen = (action: () => void): void => {
    if (clock.nowMs() < frozenUntilMs) clock.enqueue(frozenUntilMs - clock.nowMs(), () => unlessFrozen(action));
    else action();
  };

  const toServer = (frame: Frame): void => {
    const speaker = session;
    unlessFrozen(() => {
      const message = frameObject(frame) ?? {};
      served.push({ atMs: clock.nowMs(), what: 'message', message });
      for (const answer of server(message)) {
        clock.enqueue(answer.afterMs, () => unlessFrozen(() => relay(speaker, frameFromMessage('to-client', answer.message))));
      }
    });
  };

  const ends: Ends = {
    send(frame, exchange) {
      if (exchange !== undefined && crashed.has(exchange.session)) return 'the client has lost the connection';
      if (frame.direction === 'to-client') return clientSees(seenOf(frame));
      toServer(frame);
      return undefined;
    },
    sendSlice(frame, slice) {
      slices = slice.isFirst ? 1 : slices + 1;
      if (!slice.isLast) return isConnected ? undefined : 'the client has closed the connection';
      if (frame.direction === 'to-server') toServer(frame);
      else return clientSees(seenOf(frame, { slices }));
      return undefined;
    },
    reply(exchange, message, http) {
      if (http !== undefined)
        return clientSees({
          atMs: clock.nowMs(),
          what: 'http',
          id: exchange.id,
          status: http.status,
          // Virtual time starts in 1970.
          headers: replyHeaders(http, clock.nowMs()),
          message,
        });
      return message === undefined ? undefined : clientSees({ atMs: clock.nowMs(), what: 'message', message });
    },
    emit(frame) {
      if (frame === 'heartbeat') return clientSees({ atMs: clock.nowMs(), what: 'heartbeat' });
      return clientSees(seenOf(frame));
    },
    disconnect(how, forMs, exchange) {
      if (how === 'reset' || how === 'end') return clientSees({ atMs: clock.nowMs(), what: 'disconnected', how, id: exchange?.id });
      failing = { how, untilMs: clock.nowMs() + forMs };
      if (exchange === undefined) isConnected = false;
      return clientSees(refused());
    },
    signalServer(signal, forMs, bytes) {
      // Its client reads it all at once, so the server does not have to wait.
      if (signal === 'flood-stderr') return clientSees({ atMs: clock.nowMs(), what: 'stderr', bytes });
      if (signal === 'freeze') frozenUntilMs = Math.max(frozenUntilMs, clock.nowMs() + forMs);
      else if (signal !== 'crash') staysMs = Math.max(staysMs, forMs);
      else {
        failing = { how: 'refuse', untilMs: clock.nowMs() + forMs };
        for (const { id } of session.waiting['to-server'].values())
          clientSees({ atMs: clock.nowMs(), what: 'disconnected', how: 'reset', id });
        crashed.add(session);
        isConnected = false;
      }
      return undefined;
    },
  };
  const onProblem = (error: unknown): void => void journal.push({ kind: 'problem', atMs: clock.nowMs(), message: describeProblem(error) });
  const random = options.random ?? keyedRandom(plan.seed);
  const decider = createDecider({ plan, random, transport: 'simulator', startedAtMs: 0, observesAll: true });
  const write = (entry: JournalEntry): void => void journal.push(entry);
  const performer = createPerformer({ decider, clock, ends, journal: write, startedAtMs: 0, nameSession: createSessionNames(), onProblem });
  const rules = listedRules(plan.rules);
  write({
    v: JOURNAL_VERSION,
    kind: 'start',
    atMs: 0,
    transport: 'simulator',
    seed: plan.seed,
    rules,
    ...(target === undefined ? {} : { target }),
  });

  /** A frame of either side arrives here, on its way to the other. */
  const relay = (speaker: Session, frame: Frame): void => {
    const { kind } = frameHead(frame);
    const exchange = kind === 'response' ? exchangeOf(speaker, frame) : undefined;
    if (exchange !== undefined) {
      if (performer.answer(exchange, frame).effects !== undefined) return;
    } else if (kind === 'request' || kind === 'notification') {
      if (performer.request(speaker, frame).effects !== undefined) return;
    }
    ends.send(frame, exchange);
  };

  const connect = (): void => {
    session = startSession({ target });
    isConnected = clock.nowMs() >= failing.untilMs;
    if (isConnected) performer.connect(session);
    else clientSees(refused());
  };

  const close = (): void => {
    isConnected = false;
    performer.close(session);
    const fired = Object.fromEntries(rules.map(({ id }) => [id, performer.fired.get(id) ?? 0]));
    write({ kind: 'end', atMs: clock.nowMs(), fired, calls: performer.calls });
    clock.schedule(staysMs, () => served.push({ atMs: clock.nowMs(), what: 'ended' }));
  };

  return {
    take(step) {
      if (step.kind === 'connect') return connect();
      if (step.kind === 'client-sends') return isConnected ? relay(session, frameFromMessage('to-server', step.message)) : undefined;
      if (step.kind === 'server-sends') return relay(session, frameFromMessage('to-client', step.message));
      if (step.kind === 'advance') return clock.advance(step.ms);
      if (step.kind === 'settle') return void clock.run(step.maxEvents);
      return close();
    },
    until(holds) {
      while (!holds()) if (!clock.step()) return false;
      return true;
    },
    nowMs: clock.nowMs,
    transcript: { client, server: served },
    journal,
  };
}

/** Plays a whole script. */
export function runConversation(
  options: ConversationOptions & { readonly steps: readonly Step[] },
): Pick<Conversation, 'transcript' | 'journal'> {
  const conversation = startConversation(options);
  for (const step of options.steps) conversation.take(step);
  return conversation;
}
