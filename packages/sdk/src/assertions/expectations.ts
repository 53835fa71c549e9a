/** What a test says about a plan that ran. Each throws when it is not so, and says why nothing fired. */
import type { Plan } from '../core/plan.js';
import { assertionFailure } from './assertion-failure.js';
import { entriesOf, firedCount, type PlanRun } from './plan-run.js';
import { whyNotFired } from './why-not-fired.js';

/** A number of times: exactly so many, or between two. */
export type Times = number | { readonly atLeast?: number; readonly atMost?: number };

/** The fault of a rule was delivered so many times; without a number, at least once. */
export function expectFired(run: PlanRun, rule: string, wanted: Times = { atLeast: 1 }, options: { readonly plan?: Plan } = {}): void {
  const actual = firedCount(run, rule);
  const { atLeast = 0, atMost = Number.POSITIVE_INFINITY } = typeof wanted === 'number' ? { atLeast: wanted, atMost: wanted } : wanted;
  if (actual >= atLeast && actual <= atMost) return;
  const why = actual === 0 ? `: ${whyNotFired(run, rule, options.plan)}` : '';
  const expected =
    atLeast === atMost ? `${atLeast}` : atMost === Number.POSITIVE_INFINITY ? `at least ${atLeast}` : `${atLeast} to ${atMost}`;
  throw assertionFailure(`Rule "${rule}" fired ${actual} times, not ${expected}${why}.`, {
    actual,
    expected: wanted,
    operator: 'expectFired',
  });
}

/** Every rule that the plan has switched on fired. A fault that never fired proves nothing. */
export function expectEveryRuleFired(run: PlanRun, options: { readonly except?: readonly string[]; readonly plan?: Plan } = {}): void {
  const { except = [], plan } = options;
  const [start] = entriesOf(run, 'start');
  const expected = (start?.rules ?? []).filter(({ id, isEnabled }) => isEnabled !== false && !except.includes(id)).map(({ id }) => id);
  const unknown = except.find((id) => start?.rules.some((rule) => rule.id === id) !== true);
  const silent = [...expected.filter((id) => firedCount(run, id) === 0), ...(unknown === undefined ? [] : [unknown])];
  if (silent.length === 0 && start !== undefined) return;
  const reasons = silent.map((id) => `\n  ${id}: ${whyNotFired(run, id, plan)}`);
  const what = start === undefined ? 'Nothing ran' : `${silent.length} of ${expected.length} rules never fired`;
  throw assertionFailure(`${what}.${reasons.join('')}`, {
    actual: expected.filter((id) => !silent.includes(id)),
    expected,
    operator: 'expectEveryRuleFired',
  });
}

/**
 * No call of these tools went on to the server twice with the same arguments. Needs a run that observes all calls.
 * An operation that two tasks may rightly ask for needs an argument that tells them apart, for example its key.
 */
export function expectNoDuplicateWrite(run: PlanRun, { tools }: { readonly tools: readonly string[] }): void {
  const calls = entriesOf(run, 'call').filter(({ tool }) => tool !== undefined && tools.includes(tool));
  if (calls.length === 0) {
    const seen = [...new Set(entriesOf(run, 'call').map(({ tool, method }) => tool ?? method))];
    const message = `No call of ${tools.join(', ')} was seen, so nothing was checked; seen: ${seen.join(', ') || 'nothing (observesAll?)'}.`;
    throw assertionFailure(message, { actual: seen, expected: tools, operator: 'expectNoDuplicateWrite' });
  }
  const sends = new Map<string, { tool: string; count: number }>();
  for (const { tool = '', operation = '', sends: count = 1 } of calls) {
    const key = `${tool} ${operation}`;
    sends.set(key, { tool, count: (sends.get(key)?.count ?? 0) + count });
  }
  const twice = [...sends.values()].filter(({ count }) => count > 1);
  if (twice.length === 0) return;
  const said = twice.map(({ tool, count }) => `${tool} was sent ${count} times with the same arguments`);
  throw assertionFailure(`${said.join('; ')}.`, { actual: twice, expected: [], operator: 'expectNoDuplicateWrite' });
}
