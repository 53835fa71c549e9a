/** A rule at work: its counters, its draws and its memory per scope, and what a draw led to on one exchange. */
import { callKey } from './call-key.js';
import { noteChange, type DataChange } from './data-change.js';
import type { Effect } from './effect.js';
import type { FaultContext, Site, TransportName } from './fault.js';
import type { Frame } from './frame.js';
import { compileGlobs, compileWhen, methodsOf, type ExchangeMatcher, type MethodSelector, type NameMatcher } from './match.js';
import type { At, Rule } from './plan.js';
import { fnv1a64, type DrawStream, type RandomSource } from './random.js';
import { DRAW_DECIDES, DRAW_FIRST_OF_FAULT, mayFire, moveChain, probabilityNow, startChain, type ChainState } from './schedule.js';
import type { Session } from './session.js';
import type { ToolBooks } from './tool-book.js';

/** More scopes (or memories, or spent keys) than this per rule share one: a client that invents names must not grow our memory. */
export const MAX_SCOPES = 4096;

/** What a rule's draw led to on one exchange. */
export type Engagement = {
  readonly rule: Rule;
  readonly scope: string;
  /** Number of the match in its scope, from 1. */
  readonly match: number;
  readonly context: FaultContext;
  /** Set once the journal knows what came of it. */
  isSettled: boolean;
  isDelivered: boolean;
  /** The rule or limit that took its place. */
  suppressedBy: string | undefined;
  /** Why nothing was delivered, in the fault's own words. */
  why: string | undefined;
  /** What a data fault changed; undefined until it changed something. */
  changes: DataChange[] | undefined;
};

/** State of one rule in one scope. */
export type Scope = {
  readonly key: string;
  readonly stream: DrawStream;
  matches: number;
  hasFired: boolean;
  isRecovered: boolean;
  readonly chain: ChainState;
  /** Keys of `oncePer: args` or `tool` that were used up. */
  spent: Set<string> | undefined;
};

/** What a match is about. */
export type Match = {
  readonly session: Session;
  readonly scopeKey: string;
  readonly tool: string | undefined;
  readonly frame: Frame | undefined;
  readonly task: string;
  readonly nowMs: number;
};

/** A rule with its state. */
export type ActiveRule = {
  readonly rule: Rule;
  /** What the times of its `at` count from. */
  readonly startedAtMs: number;
  readonly methods: MethodSelector;
  readonly matches: ExchangeMatcher;
  /** Moves a shape whose scope is wider than the rule's own; called for every call, selected or not. */
  advanceWideShape(session: Session, task: string): void;
  /** Counts the match and draws; an engagement when the rule fires. `at` takes the place of the rule's own. */
  draw(match: Match, at?: At): Engagement | undefined;
  /** The state of a scope that has matched before. */
  scope(key: string): Scope | undefined;
  engage(scope: Scope, session: Session, nowMs: number): Engagement;
  /** An engagement without a draw, while an earlier firing in this session lasts. */
  lasting(match: Match): Engagement | undefined;
  /** The session begins anew: what lasted in it is over. */
  restart(session: Session): void;
};

/** Arguments can be megabytes; what is remembered of them is not. */
function boundedKey(key: string): string {
  if (key.length <= 256) return key;
  const { high, low } = fnv1a64(key);
  return `${key.length}:${high}:${low}`;
}

/** Starts a rule. */
export function activateRule(
  rule: Rule,
  world: { random: RandomSource; transport: TransportName; startedAtMs: number; tools?: ToolBooks | undefined },
): ActiveRule {
  const scopes = new Map<string, Scope>();
  const memories = new Map<string, unknown>();
  const ordinals = new WeakMap<Session, number>();
  let sessionsSeen = 0;
  const spentSessions = new Set<string>();
  const tools: NameMatcher = compileGlobs(rule.when.tool);
  const { shape } = rule;
  const isChain = shape.kind === 'burst' || shape.kind === 'episode';
  // Known once, asked on every call.
  const isScheduled = Object.keys(rule.at).length > 0;
  const isWide = isChain && (shape.scope === 'plan' || shape.scope === 'session');

  const scopeFor = (key: string): Scope => {
    const known = scopes.get(key);
    if (known !== undefined) return known;
    if (scopes.size >= MAX_SCOPES && key !== 'overflow') return scopeFor('overflow');
    const scope: Scope = {
      key,
      stream: world.random.stream(rule.id, key),
      matches: 0,
      hasFired: false,
      isRecovered: false,
      chain: startChain(),
      spent: undefined,
    };
    scopes.set(key, scope);
    return scope;
  };

  const wideScope = (session: Session): Scope => scopeFor(isChain && shape.scope === 'plan' ? '*' : `${session.label}/*`);

  const advance = (scope: Scope, task: string): void => {
    if (!isChain) return;
    // An episode lasts for whole tasks: it moves when the task changes, not with every call.
    if (shape.kind === 'episode' && scope.chain.moves > 0 && scope.chain.lastTask === task) return;
    scope.chain.lastTask = task;
    moveChain(scope.chain, shape, scope.stream);
  };

  /** Labels decide draws, and several clients may share one; what a fault remembers of one must never reach another. */
  const sessionKey = (session: Session): string => {
    let ordinal = ordinals.get(session);
    if (ordinal === undefined) ordinals.set(session, (ordinal = ++sessionsSeen));
    return String(ordinal);
  };

  const memoryFor = (scope: Scope, session: Session): unknown => {
    if (rule.fault.memory === undefined) return undefined;
    const key = rule.fault.memoryScope === 'session' ? sessionKey(session) : `${sessionKey(session)} ${scope.key}`;
    let memory = memories.get(key);
    if (memory === undefined) {
      if (memories.size >= MAX_SCOPES) memories.delete(memories.keys().next().value!);
      memory = rule.fault.memory();
      memories.set(key, memory);
    }
    return memory;
  };

  const isSpent = (scope: Scope, match: Match): boolean => {
    const { oncePer } = rule.at;
    if (oncePer === undefined) return false;
    // A session has one scope per tool, so what is spent per session lives beside the scopes.
    const spent = oncePer === 'session' ? spentSessions : (scope.spent ??= new Set());
    const key = oncePer === 'session' ? match.session.label : oncePer === 'args' ? boundedKey(callKey(match.frame)) : (match.tool ?? '');
    if (spent.has(key) || spent.size >= MAX_SCOPES) return true;
    spent.add(key);
    return false;
  };

  const engage = (scope: Scope, session: Session, nowMs: number): Engagement => {
    const match = scope.matches;
    let draws = 0;
    const engagement: Engagement = {
      rule,
      scope: scope.key,
      match,
      context: {
        ruleId: rule.id,
        phase: rule.phase,
        era: session.era,
        transport: (session.site as Site | undefined)?.transport ?? world.transport,
        nowMs,
        draw: () => scope.stream.draw(match, DRAW_FIRST_OF_FAULT + draws++),
        memory: memoryFor(scope, session),
        selectsTool: tools,
        knownTool: (name) => (name === undefined || !rule.fault.learnsTools ? undefined : world.tools?.find(session, name)),
        notDelivered: (why): readonly Effect[] => {
          engagement.why = why;
          return [];
        },
        changed: (path, clean, dirty) => noteChange((engagement.changes ??= []), path, clean, dirty),
      },
      changes: undefined,
      isSettled: false,
      isDelivered: false,
      suppressedBy: undefined,
      why: undefined,
    };
    return engagement;
  };

  return {
    rule,
    startedAtMs: world.startedAtMs,
    methods: methodsOf(rule),
    matches: compileWhen(rule),
    advanceWideShape(session, task) {
      if (isWide) advance(wideScope(session), task);
    },
    draw(match, at = rule.at) {
      const scope = scopeFor(match.scopeKey);
      scope.matches++;
      const elapsedMs = match.nowMs - world.startedAtMs;
      if (!isWide) advance(scope, match.task);
      if (isScheduled && !mayFire(at, scope.matches, elapsedMs, scope.isRecovered)) return undefined;
      const probability =
        shape.kind === 'iid'
          ? rule.probability
          : probabilityNow(shape, rule.probability, {
              chain: (isWide ? wideScope(match.session) : scope).chain,
              match: scope.matches,
              elapsedMs,
            });
      if (probability <= 0) return undefined;
      if (probability < 1 && !(scope.stream.draw(scope.matches, DRAW_DECIDES) < probability)) return undefined;
      if (isSpent(scope, match)) return undefined;
      scope.hasFired = true;
      return engage(scope, match.session, match.nowMs);
    },
    scope: (key) => scopes.get(key),
    engage,
    lasting(match) {
      const memory = memories.get(sessionKey(match.session));
      const about = { nowMs: match.nowMs, request: match.frame };
      if (memory === undefined || rule.fault.lasts?.(memory, about) !== true) return undefined;
      return engage(scopeFor(match.scopeKey), match.session, match.nowMs);
    },
    restart(session) {
      memories.delete(sessionKey(session));
    },
  };
}
