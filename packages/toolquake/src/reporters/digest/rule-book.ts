/** What came of every rule: fired, suppressed, not delivered and why, or nothing at all. */
import type { JournalEntry } from '@toolquake/sdk/core';
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
  /** Tools that it was delivered on, as far as the journal has the deliveries one by one. */
  readonly tools: readonly TextCount[];
};

/** A rule that is enabled and fired in no run tested nothing. */
export function hasNeverFired({ isEnabled, fired }: RuleRecord): boolean {
  return isEnabled && fired === 0;
}

/** Collects what journals say about rules. */
export type RuleBook = {
  addRun(rules: Extract<JournalEntry, { kind: 'start' }>['rules']): void;
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
    delivered: 0,
    told: 0,
    suppressed: 0,
    notDelivered: 0,
    reasons: createCounter(MAX_REASONS),
    tools: createCounter(MAX_TOOLS),
  }));
  return {
    addRun(listed) {
      for (const { id, fault, isEnabled } of listed) {
        const rule = rules.at(id);
        rule.fault = fault;
        rule.isEnabled = rule.runs === 0 ? isEnabled !== false : rule.isEnabled || isEnabled !== false;
        rule.runs++;
      }
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
      rules.entries().map(([id, { fault, runs, isEnabled, delivered, told, suppressed, notDelivered, reasons, tools }]) => ({
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
      })),
  };
}
