/**
 * The decider: the only place where rules meet traffic. Frames in, effects out; it performs nothing.
 * A draw of one rule never depends on another rule: every rule draws on every match, then composition and limits
 * may suppress what it drew, and the journal says so.
 */
import { compose } from './compose.js';
import type { Effect } from './effect.js';
import { activateRule, MAX_SCOPES, type ActiveRule, type Engagement, type Match } from './engagement.js';
import type { TransportName } from './fault.js';
import { frameHead, frameObject, type Frame } from './frame.js';
import { compileConnect, OPENING_METHODS } from './match.js';
import type { Plan, Rule } from './plan.js';
import type { RandomSource } from './random.js';
import { openExchange, scopeKey, type Exchange, type Session } from './session.js';
import { callsByName, resultOf } from './message.js';
import { createStreams } from './streams.js';
import { createToolBooks, type KnownTool, type ToolBooks } from './tool-book.js';

/** What to do about one event. */
export type Decision = {
  /** The exchange that was opened for a request, when somebody cares about it. */
  readonly exchange: Exchange | undefined;
  /** Undefined: leave the event alone. */
  readonly effects: readonly Effect[] | undefined;
  /** Whose each effect is, in the order of the effects. */
  readonly owners: readonly (readonly Engagement[])[];
  /** Everybody who had something to say. */
  readonly by: readonly Engagement[];
  /** Rules that drew and were silenced; only told once, with the request. */
  readonly suppressed: readonly Engagement[];
  /** What faults threw on the way; the rest of the decision stands. */
  readonly problems: readonly unknown[];
};

const NOBODY: readonly Engagement[] = [];

/** Methods longer than this are nobody's; they are looked up every time instead of being remembered. */
const MAX_KNOWN_METHOD_LENGTH = 256;

/** No rule cares. One constant, so that untouched traffic allocates nothing. */
export const PASS: Decision = { exchange: undefined, effects: undefined, owners: [], by: NOBODY, suppressed: NOBODY, problems: [] };

/** What the decider needs to know about the world. */
export type DeciderOptions = {
  readonly plan: Plan;
  readonly random: RandomSource;
  readonly transport: TransportName;
  /** Clock reading at the start of the plan. */
  readonly startedAtMs: number;
  /** Open an exchange for every request, also where no rule cares (for a journal with all calls). */
  readonly observesAll?: boolean;
  /** Remember what servers say of their tools; by default where a rule of the plan needs it. */
  readonly learnsTools?: boolean;
};

/** See the module comment. One decider per plan and transport; sessions are handed in. */
export type Decider = {
  readonly transport: TransportName;
  /** False when no rule is enabled and nobody observes: the transport may relay without looking. */
  readonly isActive: boolean;
  /** A tool as its server listed it; absent where nobody asked for every call. */
  readonly knownTool?: ((session: Session, name: string) => KnownTool | undefined) | undefined;
  connect(session: Session, nowMs: number): Decision;
  /** A request or notification, in either direction. */
  request(session: Session, frame: Frame, nowMs: number, task?: string): Decision;
  /** An answer to a request that `request` opened an exchange for. */
  answer(exchange: Exchange, frame: Frame, nowMs: number): Decision;
  cancel(exchange: Exchange): Decision;
  /**
   * A byte stream that was opened: every rule draws for it once, and keeps to that for all of its bytes. A rule that comes
   * later draws when the stream next speaks; after a suspension all of them do.
   */
  open(stream: Exchange, nowMs: number): Decision;
  /** Bytes of a stream, either way. To the server they are `pre`, to the client `post`. */
  bytes(stream: Exchange, frame: Frame, nowMs: number): Decision;
};

/** The rules that fired on an exchange. */
export function engagementsOf(exchange: Exchange): readonly Engagement[] {
  // Only the decider writes this member.
  return (exchange.engagements ?? NOBODY) as readonly Engagement[];
}

/** A decider whose rules can change while traffic runs. */
export type LiveDecider = Decider & {
  /** What it goes by now. */
  readonly plan: Plan;
  /**
   * Takes these rules from now on. A rule object that was there before keeps its counters, so its next draw is the one
   * it would have made; exchanges under way keep the engagements they have. Times of a new rule count from `nowMs`.
   */
  setPlan(plan: Plan, random: RandomSource, nowMs: number): void;
  /** Every event passes, also the answers of exchanges that a rule had engaged; nothing is drawn until `resume`. */
  suspend(): void;
  resume(nowMs: number): void;
};

/** The rules at work, sorted by what they listen to. */
type RuleSet = {
  readonly active: ReadonlyMap<Rule, ActiveRule>;
  readonly connectRules: readonly { readonly active: ActiveRule; readonly matches: (session: Session) => boolean }[];
  readonly callRules: readonly ActiveRule[];
  readonly watchers: readonly ActiveRule[];
  readonly lastingRules: readonly ActiveRule[];
};

function sortRules(active: ReadonlyMap<Rule, ActiveRule>): RuleSet {
  const rules = [...active.values()];
  const callRules = rules.filter(({ rule }) => rule.fault.trigger === 'call');
  return {
    active,
    connectRules: rules
      .filter(({ rule }) => rule.fault.trigger === 'connect')
      .map((one) => ({ active: one, matches: compileConnect(one.rule) })),
    callRules,
    watchers: callRules.filter(({ rule }) => rule.fault.observe !== undefined || rule.at.until === 'recovered'),
    lastingRules: callRules.filter(({ rule }) => rule.fault.lasts !== undefined),
  };
}

/** Builds a decider from a checked plan. */
export function createDecider(options: DeciderOptions): LiveDecider {
  const learnsTools = options.learnsTools ?? options.plan.rules.some(({ isEnabled, fault }) => isEnabled && fault.learnsTools);
  return buildDecider(options, learnsTools || judgesCalls(options) ? createToolBooks() : undefined);
}

/** Who writes every live call down also says whether it kept its schema. */
const judgesCalls = ({ observesAll, transport }: DeciderOptions): boolean => observesAll === true && transport !== 'simulator';

/** Like `createDecider`; tools are learnt from the start, because a rule that needs them may come later. */
export function createLiveDecider(options: DeciderOptions): LiveDecider {
  return createDecider({ ...options, learnsTools: true });
}

function buildDecider(options: DeciderOptions, tools: ToolBooks | undefined): LiveDecider {
  let { plan, startedAtMs } = options;
  const activate = (given: Plan, random: RandomSource, nowMs: number, known?: ReadonlyMap<Rule, ActiveRule>): RuleSet => {
    const world = { random, transport: options.transport, startedAtMs: nowMs, tools };
    const enabled = given.rules.filter((rule) => rule.isEnabled);
    return sortRules(new Map(enabled.map((rule) => [rule, known?.get(rule) ?? activateRule(rule, world)])));
  };
  let planned = activate(plan, options.random, startedAtMs);
  let { connectRules, callRules, watchers, lastingRules } = planned;
  let isSuspended = false;
  /** Exchanges that began before this were under way when everything was suspended. */
  let passBeforeMs = -Infinity;
  const observesAll = options.observesAll === true;
  const streams = createStreams();
  streams.use(callRules);
  const rulesByMethod = new Map<string, readonly ActiveRule[]>();
  let fired = 0;

  const findRules = (method: string): readonly ActiveRule[] => {
    const found = callRules.filter(({ methods }) => methods.names.includes(method) || methods.globs?.(method) === true);
    if (rulesByMethod.size < MAX_SCOPES && method.length <= MAX_KNOWN_METHOD_LENGTH) rulesByMethod.set(method, found);
    return found;
  };

  // Apart from `findRules`, whose closure would cost every message its own context.
  const rulesFor = (method: string): readonly ActiveRule[] => rulesByMethod.get(method) ?? findRules(method);

  const limitReached = (nowMs: number): string | undefined => {
    const { maxFaults, maxMinutes } = plan.limits;
    if (maxFaults !== undefined && fired >= maxFaults) return 'limits.maxFaults';
    if (maxMinutes !== undefined && nowMs - startedAtMs > maxMinutes * 60_000) return 'limits.maxMinutes';
    return undefined;
  };

  /** At most one terminal fault: the first that fired. It also silences data faults, which would have nothing to edit. */
  const suppress = (engagements: readonly Engagement[], nowMs: number): readonly Engagement[] => {
    const terminal = limitReached(nowMs) === undefined ? engagements.find(({ rule }) => rule.fault.role === 'terminal') : undefined;
    // Counted first: what beats others must not itself fall to the limit that they used up.
    if (terminal !== undefined) fired++;
    for (const engagement of engagements) {
      if (engagement === terminal) continue;
      const { role } = engagement.rule.fault;
      const isBeaten = terminal !== undefined && (role === 'terminal' || role === 'data');
      engagement.suppressedBy = isBeaten ? terminal.rule.id : limitReached(nowMs);
      if (engagement.suppressedBy === undefined) fired++;
    }
    const silenced = engagements.filter(({ suppressedBy }) => suppressedBy !== undefined);
    return silenced.length === 0 ? NOBODY : silenced;
  };

  /** Rules whose earlier firing still lasts here come first: they describe what the session has become. */
  const engageLasting = (match: Match, method: string, drawn: readonly Engagement[] | undefined): Engagement[] | undefined => {
    if (OPENING_METHODS.includes(method)) {
      for (const active of lastingRules) active.restart(match.session);
      return undefined;
    }
    const lasting = lastingRules.map((active) => active.lasting(match)).filter((engagement) => engagement !== undefined);
    if (lasting.length === 0) return undefined;
    // The draw was made all the same, so that later draws do not depend on what lasts; one engagement per rule is enough.
    return [...lasting, ...(drawn ?? []).filter(({ rule }) => !lasting.some((other) => other.rule === rule))];
  };

  /** Lets faults with a memory see the answers that their own rule leaves alone, and notes recoveries. */
  const watch = (exchange: Exchange, frame: Frame, nowMs: number): readonly unknown[] => {
    const problems: unknown[] = [];
    for (const watcher of watchers) {
      const { rule } = watcher;
      const scope = watcher.scope(scopeKey(exchange.session, exchange.tool ?? exchange.method));
      if (scope === undefined || !watcher.matches(exchange.session, exchange.request, exchange.method, exchange.tool)) continue;
      // Only its own draw counts, suppressed or not: what one rule remembers must not depend on another.
      if (engagementsOf(exchange).some((engagement) => engagement.rule === rule)) continue;
      if (scope.hasFired && isSuccess(frame)) scope.isRecovered = true;
      if (rule.fault.observe === undefined) continue;
      try {
        // Values were checked against the fault's own specs when the plan was loaded.
        const params = rule.params as Readonly<Record<string, never>>;
        rule.fault.observe(
          { kind: 'frame', part: 'answer', frame, exchange },
          params,
          watcher.engage(scope, exchange.session, nowMs).context,
        );
      } catch (error) {
        problems.push(error);
      }
    }
    return problems;
  };

  const use = (set: RuleSet): void => {
    ({ connectRules, callRules, watchers, lastingRules } = set);
    streams.use(callRules);
    rulesByMethod.clear();
  };

  /** Was everything suspended since the exchange began? Then its rules have no more to say. */
  const isLetGo = (exchange: Exchange): boolean => {
    if (exchange.startedAtMs > passBeforeMs) return false;
    for (const engagement of engagementsOf(exchange)) engagement.why ??= 'everything was suspended';
    return true;
  };

  /** Lets a stream meet the rules that it has not met, and tells which of them were silenced. */
  const engageStream = (stream: Exchange, nowMs: number): readonly Engagement[] => {
    const drawn = streams.meet(stream, engagementsOf(stream), nowMs);
    if (drawn.length === 0) return NOBODY;
    stream.engagements = [...streams.worthKeeping(engagementsOf(stream)), ...drawn];
    return suppress(drawn, nowMs);
  };

  const isAnyAtWork = (): boolean => planned.active.size > 0 || observesAll;
  // Members that are set anew, not getters: beside those, engines call the methods a third slower.
  const live: { -readonly [Member in keyof LiveDecider]: LiveDecider[Member] } = {
    transport: options.transport,
    knownTool: judgesCalls(options) ? tools?.find : undefined,
    isActive: isAnyAtWork(),
    plan,
    setPlan(next, random, nowMs) {
      planned = activate(next, random, nowMs, planned.active);
      if (next.limits !== plan.limits) startedAtMs = nowMs;
      plan = next;
      live.plan = next;
      live.isActive = isAnyAtWork();
      if (!isSuspended) use(planned);
    },
    suspend() {
      isSuspended = true;
      passBeforeMs = Infinity;
      use(sortRules(new Map()));
    },
    resume(nowMs) {
      if (!isSuspended) return;
      isSuspended = false;
      passBeforeMs = nowMs;
      streams.startAnew();
      use(planned);
    },
    connect(session, nowMs) {
      if (connectRules.length === 0) return PASS;
      const engagements: Engagement[] = [];
      for (const { active, matches } of connectRules) {
        if (!matches(session)) continue;
        active.advanceWideShape(session, session.label);
        const key = scopeKey(session, 'connect');
        const engagement = active.draw({ session, scopeKey: key, tool: undefined, frame: undefined, task: session.label, nowMs });
        if (engagement !== undefined) engagements.push(engagement);
      }
      if (engagements.length === 0) return PASS;
      const suppressed = suppress(engagements, nowMs);
      return { exchange: undefined, ...compose({ kind: 'connect', session }, engagements), suppressed };
    },
    request(session, frame, nowMs, taskGiven) {
      const { method, tool } = frameHead(frame);
      if (method === undefined) return PASS;
      session.requests[frame.direction]++;
      const task = taskGiven ?? session.label;
      let engagements: Engagement[] | undefined;
      let isMatched = observesAll;
      const candidates = rulesFor(method);
      // By index: an iterator would be the only thing that untouched traffic allocates.
      for (let index = 0; index < candidates.length; index++) {
        const active = candidates[index]!;
        active.advanceWideShape(session, task);
        if (!active.matches(session, frame, method, tool)) continue;
        isMatched = true;
        const key = scopeKey(session, callsByName(method) && tool !== undefined ? tool : method);
        const engagement = active.draw({ session, scopeKey: key, tool, frame, task, nowMs });
        if (engagement !== undefined) (engagements ??= []).push(engagement);
      }
      if (lastingRules.length > 0 && frame.direction === 'to-server') {
        const key = scopeKey(session, callsByName(method) && tool !== undefined ? tool : method);
        engagements = engageLasting({ session, scopeKey: key, tool, frame, task, nowMs }, method, engagements) ?? engagements;
        isMatched ||= engagements !== undefined;
      }
      const isList = tools !== undefined && method === 'tools/list' && frame.direction === 'to-server';
      // A rule that matched and lost its draw has no more to say about this exchange, unless it watches answers.
      if (!isList && (!isMatched || (engagements === undefined && !observesAll && watchers.length === 0))) return PASS;
      const exchange = openExchange(session, frame, nowMs, taskGiven);
      if (engagements === undefined)
        return { exchange, effects: undefined, owners: PASS.owners, by: NOBODY, suppressed: NOBODY, problems: PASS.problems };
      const suppressed = suppress(engagements, nowMs);
      exchange.engagements = engagements;
      return { exchange, ...compose({ kind: 'frame', part: 'request', frame, exchange }, engagements), suppressed };
    },
    answer(exchange, frame, nowMs) {
      exchange.answers++;
      if (tools !== undefined && exchange.method === 'tools/list' && exchange.origin === 'to-server') tools.learn(exchange.session, frame);
      const problems = watchers.length > 0 ? watch(exchange, frame, nowMs) : PASS.problems;
      if (exchange.engagements === undefined || isLetGo(exchange)) return problems.length === 0 ? PASS : { ...PASS, problems };
      const composition = compose({ kind: 'frame', part: 'answer', frame, exchange }, engagementsOf(exchange));
      return { exchange, ...composition, problems: [...problems, ...composition.problems], suppressed: NOBODY };
    },
    cancel(exchange) {
      exchange.isCancelled = true;
      if (exchange.engagements === undefined || isLetGo(exchange)) return PASS;
      return { exchange, ...compose({ kind: 'cancel', exchange }, engagementsOf(exchange)), suppressed: NOBODY };
    },
    open(stream, nowMs) {
      const suppressed = engageStream(stream, nowMs);
      return suppressed.length === 0 ? PASS : { ...PASS, exchange: stream, suppressed };
    },
    bytes(stream, frame, nowMs) {
      const suppressed = engageStream(stream, nowMs);
      // No rule drew for it: nothing more is to be asked of its bytes.
      if (stream.engagements === undefined) return PASS;
      const awake = streams.awake(engagementsOf(stream), nowMs);
      if (awake.length === 0) return suppressed.length === 0 ? PASS : { ...PASS, exchange: stream, suppressed };
      const part = frame.direction === stream.origin ? 'request' : 'answer';
      return { exchange: stream, ...compose({ kind: 'frame', part, frame, exchange: stream }, awake), suppressed };
    },
  };
  return live;
}

function isSuccess(frame: Frame): boolean {
  const result = resultOf(frameObject(frame));
  return result !== undefined && result['isError'] !== true;
}
