/** Why a rule never fired, read from the journal; with the plan at hand, down to the name that was meant. */
import type { JournalEntry } from '../core/journal.js';
import { compileGlobs } from '../core/match.js';
import { nearestWord } from '../core/nearest-word.js';
import type { Plan, Rule } from '../core/plan.js';
import { entriesOf, planOfRun, type PlanRun } from './plan-run.js';

type Call = Extract<JournalEntry, { readonly kind: 'call' }>;

/** One sentence, without a full stop. */
export function whyNotFired(run: Pick<PlanRun, 'journal'>, rule: string, plan: Plan | undefined = planOfRun(run)): string {
  const [start] = entriesOf(run, 'start');
  if (start === undefined) return 'the journal is empty: was it sent to a sink of yours?';
  if (start.guarded !== undefined) return `nothing is injected here, because ${start.guarded}`;
  const listed = start.rules.find(({ id }) => id === rule);
  if (listed === undefined)
    return unknownRule(
      rule,
      start.rules.map(({ id }) => id),
    );
  if (listed.isEnabled === false) return 'it is switched off in the plan';
  const drawn = whatBecameOfDraws(run, rule);
  if (drawn !== undefined) return drawn;
  const calls = entriesOf(run, 'call');
  const given = plan?.rules.find(({ id }) => id === rule);
  if (calls.length === 0) return noCalls(run);
  if (given === undefined) return `no call matched it, or it lost every draw; seen: ${listOf(calls.map(nameOf))}`;
  return whatItMatched(given, calls, start.target);
}

function unknownRule(rule: string, ids: readonly string[]): string {
  const nearest = nearestWord(rule, ids);
  const hint = nearest === undefined ? `the plan has ${listOf(ids)}` : `did you mean "${nearest}"?`;
  return `there is no such rule: ${hint}`;
}

/** It drew and won, and something else came of it. */
function whatBecameOfDraws(run: Pick<PlanRun, 'journal'>, rule: string): string | undefined {
  const own = entriesOf(run, 'fault').filter((entry) => entry.rule === rule && entry.state !== 'delivered');
  if (own.length === 0) return undefined;
  const reasons = own.map(({ state, by, why }) =>
    state === 'suppressed' ? `suppressed by ${by ?? 'a limit'}` : `not delivered: ${why ?? 'no reason given'}`,
  );
  return `it fired ${times(own.length)}, and was ${listOf(reasons)}`;
}

function noCalls(run: Pick<PlanRun, 'journal'>): string {
  const calls = entriesOf(run, 'end').at(-1)?.calls ?? 0;
  return calls === 0
    ? 'no tool was called through it'
    : `${calls} calls passed that no rule looked at; start it with observesAll to see them`;
}

function whatItMatched(rule: Rule, calls: readonly Call[], target: string | undefined): string {
  const { tool, session, target: wanted } = rule.when;
  if (wanted !== undefined && (target === undefined || !compileGlobs(wanted)(target)))
    return `no call matched when.target ${listOf(wanted)}${nearestOf(wanted, target === undefined ? [] : [target])}`;
  const ofTool = calls.filter((call) => tool === undefined || (call.tool !== undefined && compileGlobs(tool)(call.tool)));
  if (ofTool.length === 0) return `no call matched when.tool ${listOf(tool ?? [])}${nearestOf(tool ?? [], calls.map(nameOf))}`;
  const labels = ofTool.map((call) => call.session);
  const matched = ofTool.filter((call) => compileGlobs(session)(call.session));
  if (matched.length === 0) return `no call matched when.session ${listOf(session ?? [])}${nearestOf(session ?? [], labels)}`;
  const { at, probability, shape } = rule;
  const calledTimes = `${listOf(matched.map(nameOf))} was called ${times(matched.length)}`;
  const [unchecked] = (['args', 'era', 'method', 'direction'] as const).filter((key) => rule.when[key] !== undefined);
  if (unchecked !== undefined) return `${calledTimes}, and when.${unchecked} matched none of them, or it lost every draw`;
  if (Object.keys(at).length > 0) return `${calledTimes}, and at ${JSON.stringify(at)} chose none of them`;
  return `${calledTimes}, and it lost every draw (${shape.kind === 'iid' ? `probability ${probability}` : `shape ${shape.kind}`})`;
}

const nameOf = (call: Call): string => call.tool ?? call.method;
const times = (count: number): string => (count === 1 ? 'once' : `${count} times`);
const listOf = (words: readonly string[]): string => [...new Set(words)].map((word) => `"${word}"`).join(', ') || 'nothing';

/** The nearest of what was seen, and all of it. */
function nearestOf(wanted: readonly string[], seen: readonly string[]): string {
  const nearest = wanted.map((word) => nearestWord(word, new Set(seen))).find((word) => word !== undefined);
  return `; seen: ${listOf(seen)}${nearest === undefined ? '' : ` (did you mean "${nearest}"?)`}`;
}
