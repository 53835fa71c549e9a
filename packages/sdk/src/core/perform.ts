/**
 * The performer: runs the life of every event (decide, record, perform) against two ports, a clock and the two ends.
 * Every transport uses it, so a delay, a hold or a repeat is scheduled by the same lines in a proxy and in the simulator.
 */
import type { Cancel, Clock } from './clock.js';
import { engagementsOf, PASS, type Decider, type Decision } from './decide.js';
import type { Effect, HttpReply } from './effect.js';
import type { Engagement } from './engagement.js';
import { assertNever } from './errors.js';
import { frameBytes, frameHead, frameObject, type Frame } from './frame.js';
import type { CallOutcome, ExchangeRef, JournalSink } from './journal.js';
import { resultOf, type JsonObject } from './message.js';
import { cancelledExchange, closeExchange, introductionOf, renameSession, type Exchange, type Session } from './session.js';

/** Why something could not be done; undefined when it was done. */
export type Refusal = string | undefined;

/** What a transport can do. Each returns why not, when it could not; none throws for a peer that went away. */
export type Ends = {
  /** Sends a frame in its direction, as part of an exchange where there is one. */
  send(frame: Frame, exchange: Exchange | undefined): Refusal;
  /** Sends some bytes of a frame. Until the last slice nothing else may go in between on the same stream. */
  sendSlice(frame: Frame, slice: { readonly bytes: Uint8Array; readonly isFirst: boolean; readonly isLast: boolean }, exchange: Exchange | undefined): Refusal;
  /** Answers the sender of the exchange's request. */
  reply(exchange: Exchange, message: JsonObject | undefined, http: HttpReply | undefined): Refusal;
  /** Says something that nobody said. */
  emit(frame: Frame | 'heartbeat', exchange: Exchange | undefined): Refusal;
  disconnect(how: 'reset' | 'end' | 'refuse', forMs: number, exchange: Exchange | undefined, session: Session): Refusal;
  signalServer(signal: 'freeze', forMs: number): Refusal;
};

/** What the performer works with. */
export type PerformerOptions = {
  readonly decider: Decider;
  readonly clock: Clock;
  readonly ends: Ends;
  readonly journal: JournalSink;
  readonly startedAtMs: number;
  /** Labels for clients that introduce themselves; omit to keep the labels that sessions started with. */
  readonly nameSession?: ((clientName: string) => string) | undefined;
  /** Our own mistakes: a fault that throws. The traffic goes on untouched unless this throws. */
  readonly onProblem: (error: unknown) => void;
};

/** See the module comment. In a returned decision, `effects` undefined means: send it on yourself. */
export type Performer = {
  connect(session: Session): Decision;
  /** A request or notification. `handle` is put into the exchange before anything is performed. */
  request(session: Session, frame: Frame, options?: { handle?: unknown; task?: string | undefined }): Decision;
  answer(exchange: Exchange, frame: Frame): Decision;
  cancel(exchange: Exchange): void;
  /** Ends a session: what is held stays unsaid, what never came is recorded. */
  close(session: Session): void;
  /** Sends on everything held, now: for a kill switch or a removed plan. */
  release(): void;
  /** Deliveries per rule so far. */
  readonly fired: ReadonlyMap<string, number>;
  readonly calls: number;
};

type Held = { readonly frame: Frame; readonly exchange: Exchange; readonly until: 'time' | 'cancel' | 'never'; readonly thenMs: number; readonly cancel: Cancel };

/** Builds a performer. */
export function createPerformer(options: PerformerOptions): Performer {
  const { decider, clock, ends, journal, startedAtMs } = options;
  const fired = new Map<string, number>();
  const held = new Set<Held>();
  const repeats = new Map<Session, Set<Cancel>>();
  let calls = 0;
  let waitingReports: (() => void)[] | undefined;

  const atMs = (): number => clock.nowMs() - startedAtMs;

  const settle = (engagement: Engagement, about: ExchangeRef, effects: readonly Effect[], why: Refusal): void => {
    if (engagement.isSettled) return;
    engagement.isSettled = true;
    const { rule, scope, match, suppressedBy } = engagement;
    const entry = { kind: 'fault', atMs: atMs(), rule: rule.id, fault: rule.fault.type, scope, match, ...about } as const;
    if (suppressedBy !== undefined) return journal({ ...entry, state: 'suppressed', by: suppressedBy });
    if (why !== undefined) return journal({ ...entry, state: 'not-delivered', why });
    engagement.isDelivered = true;
    fired.set(rule.id, (fired.get(rule.id) ?? 0) + 1);
    journal({ ...entry, state: 'delivered', effects: effects.map((effect) => effect.kind) });
  };

  const report = (exchange: Exchange, outcome: CallOutcome): void => {
    if (exchange.isReported) return;
    if (waitingReports !== undefined) {
      waitingReports.push(() => report(exchange, outcome));
      return;
    }
    exchange.isReported = true;
    if (exchange.method !== 'tools/call' || exchange.origin !== 'to-server') return;
    calls++;
    const delivered = engagementsOf(exchange).filter((engagement) => engagement.isDelivered);
    const isAltered = delivered.some(({ rule }) => rule.fault.role === 'data');
    journal({
      kind: 'call',
      atMs: atMs(),
      ...refOf(exchange),
      outcome,
      latencyMs: clock.nowMs() - exchange.startedAtMs,
      ...(exchange.task === undefined ? {} : { task: exchange.task }),
      ...(exchange.session.era === undefined ? {} : { era: exchange.session.era }),
      ...(delivered.length === 0 ? {} : { faults: delivered.map(({ rule }) => rule.id) }),
      ...(isAltered ? { isAltered } : {}),
    });
  };

  /** Later effects for the same exchange and direction take the place of what is held. */
  const dropHeld = (exchange: Exchange, direction: string): void => {
    for (const one of held) {
      if (one.exchange !== exchange || one.frame.direction !== direction) continue;
      one.cancel();
      held.delete(one);
    }
  };

  const sent = (frame: Frame, exchange: Exchange | undefined): void => {
    if (exchange === undefined) return;
    if (frame.direction === exchange.origin) exchange.sends++;
    else if (frameHead(frame).kind === 'response') report(exchange, outcomeOf(frame));
  };

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    if (exchange !== undefined) dropHeld(exchange, frame.direction);
    const why = ends.send(frame, exchange);
    if (why === undefined) sent(frame, exchange);
    return why;
  };

  const later = (afterMs: number, action: () => Refusal): Refusal => {
    if (afterMs <= 0) return action();
    clock.schedule(afterMs, action);
    return undefined;
  };

  const perform = (effect: Effect, exchange: Exchange | undefined, session: Session): Refusal => {
    switch (effect.kind) {
      case 'forward':
        return later(effect.afterMs, () => send(effect.frame, effect.exchange ?? exchange));
      case 'pace':
        return later(effect.afterMs, () => sendSlices(effect, exchange));
      case 'answer':
        if (exchange === undefined) return 'there is nobody to answer';
        return later(effect.afterMs, () => {
          const why = ends.reply(exchange, effect.message, effect.http);
          if (why === undefined) report(exchange, replyOutcome(effect.message, effect.http));
          return why;
        });
      case 'emit':
        return repeat(effect, exchange, session);
      case 'hold':
        return keep(effect, exchange);
      case 'disconnect': {
        const why = ends.disconnect(effect.how, effect.forMs, exchange, session);
        if (why === undefined && exchange !== undefined) report(exchange, 'disconnected');
        return why;
      }
      case 'signal-server':
        return ends.signalServer(effect.signal, effect.forMs);
      default:
        return assertNever(effect);
    }
  };

  const sendSlices = (effect: Effect & { kind: 'pace' }, exchange: Exchange | undefined): Refusal => {
    const { frame, sliceBytes, everyMs } = effect;
    const bytes = frameBytes(frame);
    if (exchange !== undefined) dropHeld(exchange, frame.direction);
    const step = (from: number): Refusal => {
      const to = Math.min(bytes.length, from + sliceBytes);
      const isLast = to === bytes.length;
      const why = ends.sendSlice(frame, { bytes: bytes.subarray(from, to), isFirst: from === 0, isLast }, exchange);
      if (isLast && why === undefined) sent(frame, exchange);
      if (!isLast && why === undefined) clock.schedule(everyMs, () => step(to));
      return why;
    };
    return step(0);
  };

  const repeat = (effect: Effect & { kind: 'emit' }, exchange: Exchange | undefined, session: Session): Refusal => {
    let left = effect.count;
    let stopTimer: Cancel = () => {};
    const stops = repeats.get(session) ?? new Set<Cancel>();
    repeats.set(session, stops);
    const stop: Cancel = () => {
      stopTimer();
      stops.delete(stop);
    };
    stops.add(stop);
    const step = (): Refusal => {
      const why = ends.emit(effect.frame, exchange);
      left--;
      if (why !== undefined || left <= 0) stop();
      else stopTimer = clock.schedule(effect.everyMs, step);
      return why;
    };
    return step();
  };

  const keep = (effect: Effect & { kind: 'hold' }, exchange: Exchange | undefined): Refusal => {
    if (exchange === undefined) return 'there is no exchange to hold back';
    const { frame, until, thenMs } = effect;
    dropHeld(exchange, frame.direction);
    const isTimed = typeof until === 'object';
    const one: Held = {
      frame,
      exchange,
      until: isTimed ? 'time' : until,
      thenMs,
      cancel: isTimed ? clock.schedule(until.ms, () => void send(frame, exchange)) : () => {},
    };
    held.add(one);
    return undefined;
  };

  /** Performs a decision and settles who delivered it; call entries wait, so that they can name their faults. */
  const carryOut = (decision: Decision, about: ExchangeRef, session: Session): Decision => {
    for (const engagement of decision.suppressed) settle(engagement, about, [], undefined);
    const { effects, exchange } = decision;
    if (effects === undefined) return decision;
    const reports: (() => void)[] = [];
    waitingReports = reports;
    let refusal: Refusal;
    for (const effect of effects) refusal = perform(effect, exchange, session) ?? refusal;
    waitingReports = undefined;
    for (const engagement of decision.by) settle(engagement, about, effects, refusal);
    for (const write of reports) write();
    return decision;
  };

  /** Our own mistakes never break the traffic: the event passes untouched and the problem is told. */
  const guarded = (decide: () => Decision): Decision => {
    try {
      return decide();
    } catch (error) {
      options.onProblem(error);
      return PASS;
    }
  };

  const introduce = (session: Session, frame: Frame): void => {
    if (frame.direction !== 'to-server' || (session.era !== undefined && frameHead(frame).method !== 'initialize')) return;
    const introduction = introductionOf(frame);
    if (introduction === undefined) return;
    const isNew = session.era === undefined;
    session.era = introduction.era;
    if (isNew && introduction.clientName !== undefined && options.nameSession !== undefined) {
      renameSession(session, options.nameSession(introduction.clientName));
    }
  };

  const settleRest = (exchange: Exchange, reason: string): void => {
    for (const engagement of engagementsOf(exchange)) settle(engagement, refOf(exchange), [], engagement.why ?? reason);
  };

  /** Forgets an exchange that nothing more can come of. */
  const closeIfDone = (exchange: Exchange): void => {
    if (exchange.answers < exchange.sends) return;
    for (const one of held) if (one.exchange === exchange) return;
    closeExchange(exchange);
  };

  const cancel = (exchange: Exchange): void => {
    const decision = guarded(() => decider.cancel(exchange));
    for (const one of held) {
      if (one.exchange !== exchange || one.until !== 'cancel') continue;
      held.delete(one);
      later(one.thenMs, () => send(one.frame, exchange));
    }
    carryOut(decision, refOf(exchange), exchange.session);
    report(exchange, 'cancelled');
    if (exchange.engagements === undefined) closeExchange(exchange);
  };

  return {
    connect(session) {
      const decision = guarded(() => decider.connect(session, clock.nowMs()));
      return carryOut(decision, { session: session.label, exchange: 0, method: 'connect' }, session);
    },
    request(session, frame, extra) {
      introduce(session, frame);
      const cancelled = cancelledExchange(session, frame);
      if (cancelled !== undefined) cancel(cancelled);
      const decision = guarded(() => decider.request(session, frame, clock.nowMs(), extra?.task));
      const { exchange } = decision;
      if (exchange === undefined) return decision;
      if (extra !== undefined) exchange.handle = extra.handle;
      if (decision.effects === undefined) exchange.sends++;
      carryOut(decision, refOf(exchange), session);
      for (const engagement of decision.by.length === 0 ? engagementsOf(exchange) : []) {
        if (engagement.why !== undefined) settle(engagement, refOf(exchange), [], engagement.why);
      }
      if (exchange.isReported) closeIfDone(exchange);
      return decision;
    },
    answer(exchange, frame) {
      const decision = guarded(() => decider.answer(exchange, frame, clock.nowMs()));
      carryOut(decision, refOf(exchange), exchange.session);
      settleRest(exchange, 'the answer held nothing to change');
      if (decision.effects === undefined) report(exchange, outcomeOf(frame));
      closeIfDone(exchange);
      return decision;
    },
    cancel,
    close(session) {
      for (const stop of repeats.get(session) ?? []) stop();
      repeats.delete(session);
      for (const one of held) {
        if (one.exchange.session !== session) continue;
        one.cancel();
        held.delete(one);
      }
      for (const exchange of [...session.waiting['to-server'].values(), ...session.waiting['to-client'].values()]) {
        settleRest(exchange, exchange.isCancelled ? 'the client cancelled first' : 'no answer came');
        report(exchange, 'no-answer');
        closeExchange(exchange);
      }
    },
    release() {
      for (const stops of repeats.values()) for (const stop of stops) stop();
      for (const one of held) {
        one.cancel();
        held.delete(one);
        send(one.frame, one.exchange);
      }
    },
    fired,
    get calls() {
      return calls;
    },
  };
}

function refOf(exchange: Exchange): ExchangeRef {
  const ref = { session: exchange.session.label, exchange: exchange.ordinal, method: exchange.method };
  return { ...ref, ...(exchange.tool === undefined ? {} : { tool: exchange.tool }), ...(exchange.id === undefined ? {} : { id: exchange.id }) };
}

function outcomeOf(frame: Frame): CallOutcome {
  // An opaque frame is too large to look into; a result of that size is a result.
  if (frame.isOpaque) return 'ok';
  const message = frameObject(frame);
  if (message === undefined || 'error' in message) return 'rpc-error';
  return resultOf(message)?.['isError'] === true ? 'tool-error' : 'ok';
}

function replyOutcome(message: JsonObject | undefined, http: HttpReply | undefined): CallOutcome {
  if (http !== undefined && http.status >= 400) return 'http-error';
  if (message === undefined || 'error' in message) return 'rpc-error';
  return resultOf(message)?.['isError'] === true ? 'tool-error' : 'ok';
}
