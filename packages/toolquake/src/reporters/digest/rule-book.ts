/** What came of every rule: fired, suppressed, not delivered and why, or nothing at all. */
import type { ControlEntry, JournalEntry, ListedRule } from '@toolquake/sdk/core';
import { createBoundedMap, createCounter, type TextCount } from './bounded-map.js';

type Fault = Extract<JournalEntry, { kind: 'fault' }>;

/** One rule, over all runs that had it. */
export type RuleRecord = {
  readonly id: string;
  readonly fault: string;
  readonly runs: number;
  readonly fired: number;
  readonly suppressed: number;
  readonly notDelivered: number;
  /** Why it was suppressed or not delivered, the most frequent first. */
  readonly reasons: readonly TextCount[];
  readonly isEnabled: boolean;
  /** Whether a plan had it, or somebody injected it while a run went on. */
  readonly origin: 'plan' | 'injected';
  /** Runs in which a new plan took it away, for good. */
  readonly removedIn: number;
  /** Tools that it was delivered on, as far as the journal has the deliveries one by one. */
  readonly tools: readonly TextCount[];
};

/** What to say of a rule at a glance. `removed`: every run that had it got a new plan without it before it fired. */
export type RuleState = 'fired' | 'never' | 'removed' | 'off';

/** See `RuleState`. A rule that somebody injected and took back is no `removed` one: it had its time. */
export function stateOf({ isEnabled, fired, runs, removedIn }: RuleRecord): RuleState {
  if (!isEnabled) return 'off';
  if (fired > 0) return 'fired';
  return removedIn > 0 && removedIn >= runs ? 'removed' : 'never';
}

/** A rule that is enabled and fired in no run tested nothing. */
export function hasNeverFired(rule: RuleRecord): boolean {
  return stateOf(rule) === 'never';
}

/** The rules of one run. */
export type RunRules = {
  /** They changed while the run went on. */
  change(entry: ControlEntry): void;
  /** The run is over. */
  close(): void;
};

/** Collects what journals say about rules. */
export type RuleBook = {
  addRun(rules: readonly ListedRule[]): RunRules;
  addFault(fault: Fault): void;
  /** What a run's end says, or for a run without an end, what was seen. */
  addDeliveries(fired: Iterable<readonly [rule: string, count: number]>): void;
  list(): readonly RuleRecord[];
};

const MAX_RULES = 500;
const MAX_REASONS = 8;
const MAX_TOOLS = 60;

/** An empty book. */
export function createRuleBook(): RuleBook {
  const rules = createBoundedMap(MAX_RULES, () => ({
    fault: '',
    runs: 0,
    isEnabled: true,
    origin: 'plan' as RuleRecord['origin'],
    removedIn: 0,
    delivered: 0,
    told: 0,
    suppressed: 0,
    notDelivered: 0,
    reasons: createCounter(MAX_REASONS),
    tools: createCounter(MAX_TOOLS),
  }));

  const list = ({ id, fault, isEnabled }: ListedRule, origin: RuleRecord['origin'], isNewInRun: boolean): void => {
    const rule = rules.at(id);
    rule.fault = fault;
    rule.isEnabled = rule.runs === 0 ? isEnabled !== false : rule.isEnabled || isEnabled !== false;
    rule.origin = rule.runs === 0 ? origin : rule.origin;
    if (isNewInRun) rule.runs++;
  };

  return {
    addRun(listed) {
      for (const rule of listed) list(rule, 'plan', true);
      // As many as there is room for in the book.
      const known = new Map(listed.slice(0, MAX_RULES).map(({ id }) => [id, { isRemoved: false }]));
      return {
        change({ what, added = [], removed = [] }) {
          for (const rule of added) {
            const held = known.get(rule.id);
            list(rule, what === 'inject' ? 'injected' : 'plan', held === undefined);
            if (held !== undefined) held.isRemoved = false;
            else if (known.size < MAX_RULES) known.set(rule.id, { isRemoved: false });
          }
          if (what !== 'reload') return;
          for (const id of removed) {
            const held = known.get(id);
            if (held !== undefined) held.isRemoved = true;
          }
        },
        close() {
          for (const [id, { isRemoved }] of known) if (isRemoved) rules.at(id).removedIn++;
        },
      };
    },
    addFault({ rule: id, fault, state, by, why, tool }) {
      const rule = rules.at(id);
      rule.fault ||= fault;
      if (state === 'delivered') rule.delivered++;
      if (state === 'delivered' && tool !== undefined) rule.tools.add(tool);
      if (state === 'suppressed') rule.suppressed++;
      if (state === 'not-delivered') rule.notDelivered++;
      if (state === 'suppressed') rule.reasons.add(by === undefined ? 'suppressed' : `suppressed by ${by}`);
      if (state === 'not-delivered') rule.reasons.add(why ?? 'not delivered');
    },
    addDeliveries(fired) {
      for (const [id, count] of fired) rules.at(id).told += count;
    },
    list: () =>
      rules
        .entries()
        .map(([id, { fault, runs, isEnabled, origin, removedIn, delivered, told, suppressed, notDelivered, reasons, tools }]) => ({
          id,
          fault,
          runs,
          // A simulator that writes no fault entries still tells at its end; a killed run has entries and no end.
          fired: Math.max(delivered, told),
          suppressed,
          notDelivered,
          reasons: reasons.list(),
          tools: tools.list(),
          isEnabled,
          origin,
          removedIn,
        })),
  };
}
