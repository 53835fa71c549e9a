/**
 * The performer: runs the life of every event (decide, record, perform) against two ports, a clock and the two ends.
 * Every transport uses it, so a delay, a hold or a repeat is scheduled by the same lines in a proxy and in the simulator.
 */
import type { Clock } from './clock.js';
import { engagementsOf, PASS, type Decider, type Decision } from './decide.js';
import { isUntouched, type Effect } from './effect.js';
import type { Ends, Refusal } from './ends.js';
import { assertNever } from './errors.js';
import { TRANSPORT_CARRIERS, type TransportName } from './fault.js';
import { frameBytes, frameFromMessage, frameHead, type Frame } from './frame.js';
import { createHoldingPen } from './holding-pen.js';
import { createLasting } from './lasting.js';
import type { ExchangeRef, JournalSink } from './journal.js';
import { createSettlement, outcomeOf, refOf, replyOutcome } from './settlement.js';
import {
  cancelledExchange,
  countWaiting,
  isAnswerTo,
  closeExchange,
  introductionOf,
  isForTime,
  renameSession,
  type Exchange,
  type Session,
} from './session.js';

export type { Ends, Refusal } from './ends.js';

/** What the performer works with. */
export type PerformerOptions = {
  readonly decider: Decider;
  /** Where the ends are, when the decider serves other places too; by default its own transport. */
  readonly transport?: TransportName;
  readonly clock: Clock;
  readonly ends: Ends;
  /** Absent: faults and calls are counted, but nothing is written. */
  readonly journal?: JournalSink | undefined;
  readonly startedAtMs: number;
  /** 16 bytes that stay out of the journal: under them, calls that ask for the same are recognisable in it. Absent: they are not. */
  readonly operationKey?: Uint8Array | undefined;
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
  /**
   * Its caller can no longer be reached, and did not cancel: at once, or unless it is answered within so many milliseconds.
   * What a fault still has in its hands goes on.
   */
  abandon(exchange: Exchange, afterMs?: number): void;
  /**
   * Before a cancel, or when it is abandoned: there is no way left on which anything could come or go, so nothing waits for
   * its time any more.
   */
  drop(exchange: Exchange): void;
  /** Ends a session: what is held stays unsaid, what never came is recorded. */
  close(session: Session): void;
  /** Sends on everything held or delayed, ends what was to last, and breaks nothing more: for a kill switch. */
  release(): void;
  /** These rules are gone: a server that one of them keeps down goes on. True when one was. What calls lost stays lost. */
  endRules(ruleIds: readonly string[]): boolean;
  /** Sessions that wait for an answer, and how many requests do. */
  waiting(): { readonly sessions: number; readonly exchanges: number };
  /** Deliveries per rule so far. */
  readonly fired: ReadonlyMap<string, number>;
  readonly calls: number;
};

/** More sessions than this that wait for something: a crash does not reach the oldest, which nobody has closed. */
const MAX_SESSIONS = 4096;

const NOTHING_TO_CHANGE = 'the answer held nothing to change';
const CANCELLED_FIRST = 'the client cancelled first';
const TOO_LATE = 'the call was over before it could act';

/** Builds a performer. */
export function createPerformer(options: PerformerOptions): Performer {
  const { decider, clock, ends, journal, startedAtMs, transport = options.decider.transport } = options;
  // A pipe sends the message of an answer and leaves out what HTTP would say around it.
  const speaksHttp = TRANSPORT_CARRIERS[transport].includes('http');
  const pen = createHoldingPen(clock, (exchange) => giveUp(exchange));
  const lasting = createLasting();
  /** Sessions with requests that wait: a crash concerns all of them. */
  const sessions = new Set<Session>();
  /** Exchanges whose answer can no longer come, while something of them still waits. */
  const abandoned = new WeakSet<Exchange>();
  /** Exchanges whose connection we broke: what is left of a message in slices has nowhere to go. */
  const cut = new WeakSet<Exchange>();

  const expectAnswer = (session: Session): void => {
    if (sessions.size >= MAX_SESSIONS && !sessions.has(session)) sessions.delete(sessions.values().next().value!);
    sessions.add(session);
  };

  const forget = (exchange: Exchange): void => {
    closeExchange(exchange);
    const { waiting, displaced } = exchange.session;
    if (waiting['to-server'].size === 0 && displaced.size === 0) sessions.delete(exchange.session);
  };

  /** Forgets an exchange that nothing more can come of. */
  const closeIfDone = (exchange: Exchange): void => {
    if (!exchange.isReported || pen.isWaitingFor(exchange)) return;
    if (!exchange.isCancelled && !abandoned.has(exchange) && exchange.answers < exchange.sends) return;
    settleRest(exchange, exchange.isCancelled ? CANCELLED_FIRST : exchange.answers > 0 ? NOTHING_TO_CHANGE : TOO_LATE);
    forget(exchange);
  };

  const settlement = createSettlement({
    journal,
    clock,
    startedAtMs,
    writesHints: transport !== 'simulator',
    operationKey: options.operationKey,
    knownTool: decider.knownTool,
    onReported: closeIfDone,
  });
  const { settle, settleRest, report, reportLast } = settlement;

  /** Our own mistakes never break the traffic: the problem is told, and what failed counts as refused. */
  const attempt = (action: () => Refusal): Refusal => {
    try {
      return action();
    } catch (error) {
      options.onProblem(error);
      return 'it failed while it was performed';
    }
  };

  const sent = (frame: Frame, exchange: Exchange | undefined): void => {
    if (exchange === undefined) return;
    if (frame.direction === exchange.origin) {
      exchange.sends++;
      return;
    }
    // Progress and the like belong to the exchange too, but only an answer (or what became of one) ends the call.
    const { kind, id } = frameHead(frame);
    // An answer to somebody else leaves the caller waiting.
    if (kind === 'response' && id !== exchange.id) return;
    if (kind === 'response' || kind === 'other') report(exchange, outcomeOf(frame), frame);
  };

  const cutOff = (exchange: Exchange): void => {
    cut.add(exchange);
    report(exchange, 'disconnected');
  };

  const send = (frame: Frame, exchange: Exchange | undefined): Refusal => {
    // A request that was kept back until its caller gave up must not be executed any more.
    if (exchange?.isCancelled === true && frame.direction === exchange.origin) return CANCELLED_FIRST;
    if (exchange !== undefined) pen.supersede(exchange, frame.direction);
    const why = ends.send(frame, exchange);
    if (why === undefined) sent(frame, exchange);
    return why;
  };

  /** Something that was put off, or held until now. */
  const actLate = (action: () => Refusal, exchange: Exchange | undefined): void => {
    attempt(action);
    if (exchange !== undefined) closeIfDone(exchange);
  };

  const later = (afterMs: number, session: Session, exchange: Exchange | undefined, action: (isReleased: boolean) => Refusal): Refusal => {
    if (afterMs <= 0) return action(false);
    pen.putOff(afterMs, exchange?.session ?? session, exchange, (isReleased) => actLate(() => action(isReleased), exchange));
    return undefined;
  };

  const perform = (effect: Effect, own: Exchange | undefined, session: Session): Refusal => {
    switch (effect.kind) {
      case 'forward': {
        const exchange = effect.exchange ?? own;
        return later(effect.afterMs, session, exchange, () => send(effect.frame, exchange));
      }
      case 'pace':
        return later(effect.afterMs, session, own, () => sendSlices(effect, own, session));
      case 'answer':
        if (own === undefined) return 'there is nobody to answer';
        return later(effect.afterMs, session, own, () => {
          const why = ends.reply(own, effect.message, effect.http);
          if (why === undefined)
            report(own, replyOutcome(effect.message, speaksHttp ? effect.http : undefined), frameFromMessage('to-client', effect.message));
          return why;
        });
      case 'emit':
        return repeat(effect, own, session, effect.count);
      case 'hold':
        if (own === undefined) return 'there is no exchange to hold back';
        // A surplus copy of an answer, or a notification: nobody waits for it, and nobody will ever want it back.
        if (effect.until === 'never' && (own.isReported || own.id === undefined)) return undefined;
        pen.hold(effect.frame, own, effect.until, effect.thenMs, () => actLate(() => send(effect.frame, own), own));
        return undefined;
      case 'disconnect':
        return later(effect.afterMs ?? 0, session, own, (isReleased) => {
          // A release breaks nothing: what was kept back goes on instead.
          if (isReleased) return undefined;
          if ((effect.afterMs ?? 0) > 0 && own?.isCancelled === true) return CANCELLED_FIRST;
          const why = ends.disconnect(effect.how, effect.forMs, own, session);
          if (why === undefined && own !== undefined) {
            cutOff(own);
            // What was kept back has nowhere to go. An answer that a client comes back for by another way is none of ours.
            pen.supersede(own, 'to-client');
            pen.supersede(own, 'to-server');
          }
          return why;
        });
      case 'signal-server': {
        const why = ends.signalServer(effect.signal, effect.forMs, effect.bytes ?? 0);
        if (why === undefined && effect.signal === 'crash') {
          for (const one of sessions) for (const exchange of [...one.waiting['to-server'].values(), ...one.displaced]) cutOff(exchange);
        }
        return why;
      }
      default:
        return assertNever(effect);
    }
  };

  const sendSlices = (effect: Effect & { kind: 'pace' }, exchange: Exchange | undefined, session: Session): Refusal => {
    const { frame, everyMs } = effect;
    const bytes = frameBytes(frame);
    const sliceBytes = Math.max(1, effect.sliceBytes);
    if (exchange !== undefined) pen.supersede(exchange, frame.direction);
    const step = (from: number): Refusal => {
      const to = Math.min(bytes.length, from + sliceBytes);
      const isLast = to === bytes.length;
      if (from > 0 && exchange !== undefined && cut.has(exchange)) return undefined;
      const why = ends.sendSlice(frame, { bytes: bytes.subarray(from, to), isFirst: from === 0, isLast }, exchange);
      if (why !== undefined) return why;
      if (isLast) sent(frame, exchange);
      else pen.putOff(everyMs, session, exchange, () => actLate(() => step(to), exchange));
      return undefined;
    };
    return step(0);
  };

  const repeat = (effect: Effect & { kind: 'emit' }, exchange: Exchange | undefined, session: Session, left: number): Refusal => {
    const why = ends.emit(effect.frame, exchange);
    // A copy of the answer that comes before it is what the caller sees.
    if (why === undefined && isAnswerTo(effect.frame, exchange)) sent(effect.frame, exchange);
    if (why === undefined && left > 1) {
      pen.remind(effect.everyMs, session, () => void attempt(() => repeat(effect, exchange, session, left - 1)));
    }
    return why;
  };

  /** Performs a decision and settles who delivered it. Where nothing could be done, the event is left alone after all. */
  const carryOut = (decision: Decision, session: Session, frame?: Frame): Decision => {
    const { effects, exchange, owners, by, suppressed, problems } = decision;
    // Untouched traffic ends here; what follows may allocate.
    if (effects === undefined && suppressed.length === 0 && problems.length === 0) return decision;
    const about: ExchangeRef = exchange === undefined ? { session: session.label, exchange: 0, method: 'connect' } : refOf(exchange);
    for (const problem of problems) options.onProblem(problem);
    for (const engagement of suppressed) settle(engagement, about, [], undefined);
    if (effects === undefined) return decision;
    return reportLast(() => {
      const refusals = effects.map((effect) => attempt(() => perform(effect, exchange, session)));
      for (const engagement of by) {
        const own = effects.flatMap((effect, index) =>
          owners[index]?.includes(engagement) === true ? [{ effect, why: refusals[index] }] : [],
        );
        // The message itself, as it came, is no part of a fault that does more than that.
        const acts = own.filter(({ effect }) => !isUntouched(effect, frame));
        const parts = acts.length === 0 ? own : acts;
        // Delivered when any part of it was: the rest could not make it undone.
        const isDelivered = parts.some(({ why }) => why === undefined);
        const done = own.filter(({ why }) => why === undefined).map(({ effect }) => effect);
        lasting.note(engagement.rule.id, done, clock.nowMs());
        settle(engagement, about, done, isDelivered ? engagement.why : (parts.at(-1)?.why ?? 'another fault took its place'));
      }
      return refusals.includes(undefined) ? decision : { ...decision, effects: undefined };
    });
  };

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

  const cancel = (exchange: Exchange): void => {
    const decision = guarded(() => decider.cancel(exchange));
    reportLast(() => {
      // First: what is said after a cancel no longer decides what the caller saw.
      report(exchange, 'cancelled');
      pen.cancelled(exchange);
      carryOut(decision, exchange.session);
    });
    if (pen.isWaitingFor(exchange)) return;
    settleRest(exchange, CANCELLED_FIRST);
    forget(exchange);
  };

  /** Nothing more will come of an exchange: the journal says so, and nobody remembers it. */
  const giveUp = (exchange: Exchange): void => {
    settleRest(exchange, exchange.isCancelled ? CANCELLED_FIRST : 'no answer came');
    report(exchange, 'no-answer');
    forget(exchange);
  };

  const abandon = (exchange: Exchange): void => {
    if (!pen.isWaitingFor(exchange)) return giveUp(exchange);
    abandoned.add(exchange);
    report(exchange, 'no-answer');
  };

  return {
    connect(session) {
      const decision = guarded(() => decider.connect(session, clock.nowMs()));
      return carryOut(decision, session);
    },
    request(session, frame, extra) {
      introduce(session, frame);
      const cancelled = cancelledExchange(session, frame);
      if (cancelled !== undefined) {
        cancelled.isTimedOut = isForTime(frame);
        cancel(cancelled);
      }
      let decision: Decision;
      // Spelled out instead of `guarded`: this runs for every message, and a closure each would be most of its cost.
      try {
        decision = decider.request(session, frame, clock.nowMs(), extra?.task);
      } catch (error) {
        options.onProblem(error);
        return PASS;
      }
      const { exchange } = decision;
      if (exchange === undefined) return decision;
      if (exchange.id !== undefined) expectAnswer(session);
      if (extra !== undefined) exchange.handle = extra.handle;
      const done = carryOut(decision, session, frame);
      if (done.effects === undefined) exchange.sends++;
      for (const engagement of engagementsOf(exchange)) {
        if (engagement.why !== undefined) settle(engagement, refOf(exchange), [], engagement.why);
      }
      if (exchange.id === undefined) settleRest(exchange, 'a notification gets no answer');
      return done;
    },
    answer(exchange, frame) {
      const decision = guarded(() => decider.answer(exchange, frame, clock.nowMs()));
      const done = carryOut(decision, exchange.session, frame);
      settleRest(exchange, NOTHING_TO_CHANGE);
      if (done.effects === undefined) report(exchange, outcomeOf(frame), frame);
      closeIfDone(exchange);
      return done;
    },
    cancel,
    abandon(exchange, afterMs = 0) {
      if (afterMs > 0) pen.putOff(afterMs, exchange.session, undefined, () => abandon(exchange));
      else abandon(exchange);
    },
    drop: pen.drop,
    close(session) {
      pen.close(session);
      sessions.delete(session);
      const { waiting, displaced } = session;
      for (const exchange of [...waiting['to-server'].values(), ...waiting['to-client'].values(), ...displaced]) giveUp(exchange);
    },
    release() {
      pen.release();
      lasting.endAll();
      ends.release?.();
    },
    endRules(ruleIds) {
      const isOver = lasting.endWith(ruleIds, clock.nowMs());
      // All that lasts is one state of the server: better too much of it goes on than too little.
      if (isOver) ends.release?.();
      return isOver;
    },
    waiting: () => ({ sessions: sessions.size, exchanges: countWaiting(sessions) }),
    fired: settlement.fired,
    get calls() {
      return settlement.calls;
    },
  };
}
