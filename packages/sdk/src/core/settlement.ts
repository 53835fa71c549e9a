/**
 * What the journal is told: each rule that fired on an exchange is settled once (delivered, suppressed or not
 * delivered), and each call is reported once, after its faults, so that it can name them.
 */
import { callHints } from './call-hints.js';
import type { CallOutcome } from './call-outcome.js';
import type { Clock } from './clock.js';
import { engagementsOf, type Decider } from './decide.js';
import type { Effect, HttpReply } from './effect.js';
import type { Engagement } from './engagement.js';
import { frameObject, type Frame } from './frame.js';
import type { ExchangeRef, JournalSink } from './journal.js';
import { resultOf, type JsonObject } from './message.js';
import { keepsOutputSchema, type SchemaVerdict } from './schema-verdict.js';
import type { Exchange } from './session.js';

/** See the module comment. */
export type Settlement = {
  /** Records what came of an engagement; `why` when nothing was delivered. Only the first time counts. */
  settle(engagement: Engagement, about: ExchangeRef, effects: readonly Effect[], why: string | undefined): void;
  /** Settles what is left of an exchange as not delivered, in the fault's own words where it had some. Put off like a report. */
  settleRest(exchange: Exchange, why: string): void;
  /** Records what the caller saw, and the answer where there was one. Only the first time counts. */
  report(exchange: Exchange, outcome: CallOutcome, answer?: Frame): void;
  /** Puts the reports that the work makes off until it is done, and its faults are settled. */
  reportLast<Result>(work: () => Result): Result;
  /** Deliveries per rule so far. */
  readonly fired: ReadonlyMap<string, number>;
  readonly calls: number;
};

/** Builds a settlement over a journal. */
export function createSettlement(options: {
  /** Absent: faults and calls are counted, but nothing is written. */
  readonly journal: JournalSink | undefined;
  readonly clock: Clock;
  readonly startedAtMs: number;
  /** Live transports write down what tells tasks and operations apart; the simulator knows them. */
  readonly writesHints?: boolean;
  /** Makes equal calls recognisable; absent: operations stay unknown. */
  readonly operationKey?: Uint8Array | undefined;
  /** What a server promises about a tool; absent: nobody asks whether it is kept. */
  readonly knownTool?: Decider['knownTool'];
  /** Called after each first report of an exchange. */
  readonly onReported: (exchange: Exchange) => void;
}): Settlement {
  const { journal, clock, startedAtMs } = options;
  const fired = new Map<string, number>();
  let calls = 0;
  let putOff: (() => void)[] | undefined;

  const atMs = (): number => clock.nowMs() - startedAtMs;

  const settle: Settlement['settle'] = (engagement, about, effects, why) => {
    if (engagement.isSettled) return;
    engagement.isSettled = true;
    const { rule, scope, match, suppressedBy, changes } = engagement;
    if (suppressedBy === undefined && why === undefined) {
      engagement.isDelivered = true;
      fired.set(rule.id, (fired.get(rule.id) ?? 0) + 1);
    }
    if (journal === undefined) return;
    const entry = { kind: 'fault', atMs: atMs(), rule: rule.id, fault: rule.fault.type, scope, match, ...about } as const;
    if (suppressedBy !== undefined) return journal({ ...entry, state: 'suppressed', by: suppressedBy });
    if (why !== undefined) return journal({ ...entry, state: 'not-delivered', why });
    const kinds = effects.map((effect) => effect.kind);
    // A copy: what the fault notes later belongs to no entry, in a journal in memory as little as in one on disk.
    journal({ ...entry, state: 'delivered', effects: kinds, ...(changes === undefined ? {} : { changes: [...changes] }) });
  };

  const isConformant = (exchange: Exchange, answer: Frame | undefined): SchemaVerdict =>
    options.knownTool === undefined || answer === undefined || exchange.tool === undefined
      ? undefined
      : keepsOutputSchema(options.knownTool(exchange.session, exchange.tool), answer);

  const writeCall = (exchange: Exchange, outcome: CallOutcome, answer: Frame | undefined): void => {
    calls++;
    if (journal === undefined) return;
    const delivered = engagementsOf(exchange).filter((engagement) => engagement.isDelivered);
    const isAltered = delivered.some(({ rule }) => rule.fault.role === 'data');
    const verdict = isConformant(exchange, answer);
    journal({
      kind: 'call',
      atMs: atMs(),
      ...refOf(exchange),
      outcome,
      latencyMs: clock.nowMs() - exchange.startedAtMs,
      ...(options.writesHints === true
        ? {
            ...callHints(exchange.request, exchange.task, options.operationKey),
            ...(exchange.sends === 1 ? {} : { sends: exchange.sends }),
          }
        : exchange.task === undefined
          ? {}
          : { task: exchange.task }),
      ...(exchange.session.era === undefined ? {} : { era: exchange.session.era }),
      ...(delivered.length === 0 ? {} : { faults: delivered.map(({ rule }) => rule.id) }),
      ...(exchange.isTimedOut && outcome === 'cancelled' ? { isTimedOut: true } : {}),
      ...(isAltered ? { isAltered } : {}),
      ...(verdict === undefined ? {} : { isConformant: verdict }),
    });
  };

  /** Now, or once the faults at work are settled. */
  const inTurn = (task: () => void): void => {
    if (putOff === undefined) task();
    else putOff.push(task);
  };

  const reportNow = (exchange: Exchange, outcome: CallOutcome, answer: Frame | undefined): void => {
    if (exchange.isReported) return;
    exchange.isReported = true;
    if (exchange.method === 'tools/call' && exchange.origin === 'to-server') writeCall(exchange, outcome, answer);
    options.onReported(exchange);
  };

  return {
    settle,
    settleRest(exchange, why) {
      inTurn(() => {
        for (const engagement of engagementsOf(exchange)) settle(engagement, refOf(exchange), [], engagement.why ?? why);
      });
    },
    report(exchange, outcome, answer) {
      inTurn(() => reportNow(exchange, outcome, answer));
    },
    reportLast(work) {
      // A transport may answer within a send: what the inner work puts off waits for the outer work too.
      if (putOff !== undefined) return work();
      const tasks: (() => void)[] = [];
      putOff = tasks;
      try {
        return work();
      } finally {
        putOff = undefined;
        for (const task of tasks) task();
      }
    },
    fired,
    get calls() {
      return calls;
    },
  };
}

/** How journal entries name an exchange. */
export function refOf(exchange: Exchange): ExchangeRef {
  const ref = { session: exchange.session.label, exchange: exchange.ordinal, method: exchange.method };
  return {
    ...ref,
    ...(exchange.tool === undefined ? {} : { tool: exchange.tool }),
    ...(exchange.id === undefined ? {} : { id: exchange.id }),
  };
}

/** What a caller sees in an answer. */
export function outcomeOf(frame: Frame): CallOutcome {
  // An opaque frame is too large to look into; a result of that size is a result.
  return frame.isOpaque ? 'ok' : outcomeOfMessage(frameObject(frame));
}

/** What a caller sees in an answer that we made up. */
export function replyOutcome(message: JsonObject | undefined, http: HttpReply | undefined): CallOutcome {
  if (http !== undefined && http.status >= 400) return 'http-error';
  // "Accepted" says that the answer comes some other way, and none does.
  return message === undefined && http?.status === 202 ? 'no-answer' : outcomeOfMessage(message);
}

function outcomeOfMessage(message: JsonObject | undefined): CallOutcome {
  // Neither a result nor an error is no answer that a caller could use.
  if (message === undefined || 'error' in message || !('result' in message)) return 'rpc-error';
  return resultOf(message)?.['isError'] === true ? 'tool-error' : 'ok';
}
