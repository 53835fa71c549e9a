/** The rules that a run had: those of its plan, and those that came while it went on. */
import { listedRules, type ControlEntry, type ListedRule, type Plan } from '@toolquake/sdk/core';

/** See the module comment. */
export type RuleRoll = {
  note(entry: ControlEntry): void;
  /** Deliveries per rule, rules that never fired included with 0. */
  counts(fired: ReadonlyMap<string, number>): Readonly<Record<string, number>>;
  /** Which rules fired, as lines for people. A rule that never fired tested nothing. */
  summary(fired: ReadonlyMap<string, number>): readonly string[];
};

/** More rules than this are a machine at work: the oldest are left to the journal. */
const MAX_RULES = 2000;

/** Starts with the rules of a plan. */
export function createRuleRoll(plan: Plan): RuleRoll {
  const rules = new Map<string, ListedRule & { readonly isRemoved?: true }>(listedRules(plan.rules).map((rule) => [rule.id, rule]));
  let { seed } = plan;
  const enlist = (rule: ListedRule): void => {
    if (rules.size >= MAX_RULES && !rules.has(rule.id)) rules.delete(rules.keys().next().value!);
    rules.set(rule.id, rule);
  };
  return {
    note({ what, added = [], removed = [], seed: next }) {
      seed = next ?? seed;
      for (const rule of added) enlist(rule);
      if (what !== 'reload') return;
      for (const id of removed) {
        const rule = rules.get(id);
        if (rule !== undefined) rules.set(id, { ...rule, isRemoved: true });
      }
    },
    counts: (fired) => ({ ...Object.fromEntries([...rules.keys()].map((id) => [id, 0])), ...Object.fromEntries(fired) }),
    summary(fired) {
      const listed = [...rules.values()].filter(({ isEnabled }) => isEnabled !== false);
      if (listed.length === 0) return [];
      const count = listed.filter(({ id }) => (fired.get(id) ?? 0) > 0).length;
      const idWidth = Math.max(...listed.map(({ id }) => id.length));
      const faultWidth = Math.max(...listed.map(({ fault }) => fault.length));
      return [
        `${count} of ${listed.length} rules fired (seed ${seed})`,
        ...listed.map(({ id, fault, isRemoved }) => {
          const times = fired.get(id) ?? 0;
          const words = times > 0 ? `fired ${times}x` : isRemoved ? 'removed before it fired' : 'never fired';
          return `  ${id.padEnd(idWidth)}  ${fault.padEnd(faultWidth)}  ${words}`;
        }),
      ];
    },
  };
}
