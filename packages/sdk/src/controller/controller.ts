/**
 * Control of a running decider: a base plan, and rules that are injected over it for a while.
 * Injected rules come before those of the plan, the latest first, so that what an operator asks for wins.
 */
import { requirePlan } from '../core/check-plan.js';
import type { Cancel, Clock } from '../core/clock.js';
import type { ControlEntry } from '../core/control-entry.js';
import type { LiveDecider } from '../core/decide.js';
import { ToolquakeError } from '../core/errors.js';
import type { Catalogue } from '../core/fault.js';
import { listedRules, type JournalSink } from '../core/journal.js';
import type { JsonObject } from '../core/message.js';
import type { Plan, Rule } from '../core/plan.js';
import { keyedRandom } from '../core/random.js';

/** An injected rule lives this long unless told otherwise. */
export const DEFAULT_DURATION_MS: number = 15 * 60_000;

/** More injected rules than this at once are a leak of the caller. */
export const MAX_INJECTED = 1000;

/** What a controller works with. */
export type ControllerOptions = {
  readonly plan: Plan;
  readonly decider: LiveDecider;
  readonly clock: Clock;
  readonly catalogue: Catalogue;
  /** Sends on what is held or delayed: a performer's `release`. */
  readonly release: () => void;
  /** Ends what rules that are gone keep broken: a performer's `endRules`. */
  readonly endRules: (ruleIds: readonly string[]) => void;
  /** Why nothing may be injected here; undefined when it may. */
  readonly guarded?: string | undefined;
  /** Judges where a rule can act, in place of the decider's transport: throws when it can nowhere. */
  readonly accept?: (rule: Rule) => void;
  /** Hears of every change, with times since `startedAtMs`. */
  readonly journal?: JournalSink | undefined;
  readonly startedAtMs?: number;
  /** Who asks; `program` unless told otherwise. */
  readonly caller?: 'admin' | 'program';
};

/** One injected rule. */
export type InjectedRule = { readonly id: string; readonly rule: Rule; readonly expiresAtMs: number };

/** See the module comment. Whatever is refused throws a `ToolquakeError` and changes nothing. */
export type ChaosController = {
  /** Injects a rule as a plan would write it; `id` may be absent, a duration of Infinity has no end. Returns its id. */
  inject(rule: JsonObject, durationMs?: number): string;
  /** False when there is no such rule (any more). */
  clear(id: string): boolean;
  clearAll(): void;
  /** Rules that did not change keep their counters and so their draws. */
  replacePlan(plan: Plan): void;
  /** Transparency at once: what is held or delayed goes on now, answers under way pass, nothing is drawn. */
  kill(): void;
  /** Rules act again on what begins from now on. */
  revive(): void;
  list(): readonly InjectedRule[];
  readonly plan: Plan;
  readonly isKilled: boolean;
};

/** Starts to control a decider that was built with the same plan. */
export function createController(options: ControllerOptions): ChaosController {
  const { decider, clock, catalogue, accept } = options;
  const injected = new Map<string, InjectedRule & { readonly stop: Cancel }>();
  let { plan } = options;
  let random = keyedRandom(plan.seed);
  let injections = 0;
  let isKilled = false;

  const apply = (): void => {
    decider.setPlan(
      { ...plan, rules: [...[...injected.values()].map(({ rule }) => rule).toReversed(), ...plan.rules] },
      random,
      clock.nowMs(),
    );
  };

  const isTaken = (id: string): boolean => injected.has(id) || plan.rules.some((rule) => rule.id === id);

  const freeId = (fault: unknown): string => {
    let id: string;
    do id = `${typeof fault === 'string' ? fault.slice(0, 60) : 'rule'}-live-${++injections}`;
    while (isTaken(id));
    return id;
  };

  const allow = (): void => {
    if (options.guarded === undefined) return;
    throw new ToolquakeError('NOT_ALLOWED', { message: `Nothing is injected here: ${options.guarded}.` });
  };

  const remove = (id: string): boolean => {
    injected.get(id)?.stop();
    return injected.delete(id);
  };

  const { caller = 'program', startedAtMs = 0 } = options;
  const tell = (what: ControlEntry['what'], about: Partial<ControlEntry> = {}): void =>
    options.journal?.({ kind: 'control', atMs: clock.nowMs() - startedAtMs, what, by: caller, ...about });

  return {
    inject(given, durationMs = DEFAULT_DURATION_MS) {
      allow();
      if (!(durationMs > 0)) throw new ToolquakeError('OUT_OF_RANGE', { message: `durationMs must be more than 0, not ${durationMs}.` });
      if (injected.size >= MAX_INJECTED)
        throw new ToolquakeError('TOO_LARGE', {
          message: `${MAX_INJECTED} injected rules are active, and more are not allowed.`,
          advice: 'Clear some first.',
        });
      const id = given['id'] ?? freeId(given['fault']);
      const transport = accept === undefined ? decider.transport : undefined;
      const [rule] = requirePlan({ version: 1, rules: [{ ...given, id }] }, catalogue, { transport }).rules;
      if (rule === undefined) throw new Error('a checked plan lost its rule');
      if (isTaken(rule.id)) throw new ToolquakeError('DUPLICATE_ID', { message: `There is a rule "${rule.id}" already.` });
      accept?.(rule);
      const expire = (): void => {
        injected.delete(rule.id);
        apply();
        options.endRules([rule.id]);
        tell('expire', { by: 'time', removed: [rule.id] });
      };
      const stop = durationMs === Infinity ? () => {} : clock.schedule(durationMs, expire);
      injected.set(rule.id, { id: rule.id, rule, expiresAtMs: clock.nowMs() + durationMs, stop });
      apply();
      tell('inject', { added: listedRules([rule]), ...(durationMs === Infinity ? {} : { lastsMs: durationMs }) });
      return rule.id;
    },
    clear(id) {
      const isFound = remove(id);
      if (!isFound) return false;
      apply();
      options.endRules([id]);
      tell('clear', { removed: [id] });
      return true;
    },
    clearAll() {
      if (injected.size === 0) return;
      const removed = [...injected.keys()];
      for (const id of removed) remove(id);
      apply();
      options.endRules(removed);
      tell('clear-all', { removed });
    },
    replacePlan(next) {
      if (next.rules.length > 0) allow();
      const clash = next.rules.find(({ id }) => injected.has(id));
      if (clash !== undefined)
        throw new ToolquakeError('DUPLICATE_ID', { message: `"${clash.id}" is an injected rule already.`, advice: 'Clear it first.' });
      if (accept !== undefined) next.rules.forEach(accept);
      const isSameSeed = next.seed === plan.seed;
      const known = new Map(plan.rules.map((rule) => [rule.id, rule]));
      plan = { ...next, rules: next.rules.map((rule) => (isSameSeed ? sameRule(known.get(rule.id), rule) : rule)) };
      if (!isSameSeed) random = keyedRandom(plan.seed);
      apply();
      const kept = new Set(plan.rules.map(({ id }) => id));
      const same = new Set(plan.rules);
      options.endRules([...known.values()].flatMap((rule) => (same.has(rule) ? [] : [rule.id])));
      tell('reload', {
        added: listedRules(plan.rules.filter((rule) => known.get(rule.id) !== rule)),
        removed: [...known.keys()].filter((id) => !kept.has(id)),
        ...(isSameSeed ? {} : { seed: plan.seed }),
      });
    },
    kill() {
      const wasKilled = isKilled;
      isKilled = true;
      decider.suspend();
      options.release();
      if (!wasKilled) tell('kill');
    },
    revive() {
      if (!isKilled) return;
      isKilled = false;
      decider.resume(clock.nowMs());
      tell('revive');
    },
    list: () => [...injected.values()].map(({ id, rule, expiresAtMs }) => ({ id, rule, expiresAtMs })),
    get plan() {
      return plan;
    },
    get isKilled() {
      return isKilled;
    },
  };
}

/** The old object where the new rule says the same: a decider knows its rules by their objects. */
function sameRule(old: Rule | undefined, next: Rule): Rule {
  // Both came out of one validator, which writes members in one order.
  return old !== undefined && old.fault === next.fault && JSON.stringify(old) === JSON.stringify(next) ? old : next;
}
