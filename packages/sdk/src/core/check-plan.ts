/**
 * From unknown input to a plan: the one validator, for files and for plans written in code. It reports every problem it
 * finds, not only the first, and it never throws.
 */
import { checkId, checkRule } from './check-rule.js';
import { checkSense } from './check-sense.js';
import { createValueReader, describeValue, member, pathText, type PlanProblem, type ValueReader } from './check-value.js';
import { ToolquakeError } from './errors.js';
import type { Catalogue, TransportName } from './fault.js';
import { isObject, type JsonObject } from './message.js';
import { measuresOf, startTally } from './metrics.js';
import { suggest } from './nearest-word.js';
import { PLAN_KEYS, PLAN_WORDS } from './plan-keys.js';
import type { Bounds, Limits, Plan, Rule } from './plan.js';

/** What to check beyond the format. */
export type CheckOptions = {
  /** Also refuse faults that cannot act there. */
  readonly transport?: TransportName | undefined;
};

/** The measures that `expect` may bound. */
export const MEASURE_NAMES: readonly string[] = Object.keys(measuresOf(startTally()));

/** `plan` is there exactly when there are no problems. */
export type CheckedPlan = { readonly plan: Plan | undefined; readonly problems: readonly PlanProblem[] };

/** See the module comment. */
export function checkPlan(value: unknown, catalogue: Catalogue, options: CheckOptions = {}): CheckedPlan {
  const reader = createValueReader();
  const given = reader.object(value, [], PLAN_KEYS.plan);
  if (given === undefined) return { plan: undefined, problems: reader.problems };
  const version = member(given, 'version');
  if (version !== undefined && version !== 1) {
    reader.report(
      ['version'],
      typeof version === 'number' ? 'OUT_OF_RANGE' : 'WRONG_TYPE',
      'version must be 1.',
      'The nearest allowed value is 1.',
    );
  }
  const seedGiven = member(given, 'seed');
  const seed = seedGiven === undefined ? 0 : (reader.number(seedGiven, ['seed'], { isWhole: true }) ?? 0);
  const limits = checkLimits(reader, member(given, 'limits'));
  const task = checkTask(reader, member(given, 'task'), options.transport);
  const rules = checkRules(reader, member(given, 'rules'), catalogue, { limits, transport: options.transport });
  const expect = checkExpect(reader, member(given, 'expect'), rules);
  if (reader.problems.length > 0) return { plan: undefined, problems: reader.problems };
  // Every index is filled: a rule that could not be read has reported a problem.
  return { plan: { version: 1, seed, rules: rules.list as readonly Rule[], limits, task, expect }, problems: [] };
}

/** The plan, or one error that lists everything: for plans written in code. */
export function requirePlan(value: unknown, catalogue: Catalogue, options: CheckOptions = {}): Plan {
  const { plan, problems } = checkPlan(value, catalogue, options);
  if (plan !== undefined) return plan;
  const [first] = problems;
  throw new ToolquakeError(first?.code ?? 'WRONG_TYPE', {
    message: problems.map(({ message }) => message).join('\n'),
    advice: first?.advice,
  });
}

type CheckedRules = { readonly ids: readonly string[]; readonly list: readonly (Rule | undefined)[] };

function checkRules(
  reader: ValueReader,
  value: unknown,
  catalogue: Catalogue,
  world: { limits: Limits; transport: TransportName | undefined },
): CheckedRules {
  const none: CheckedRules = { ids: [], list: [] };
  if (value === undefined) {
    reader.report([], 'MISSING_KEY', 'The plan needs "rules".', 'A plan that does nothing says: rules: []');
    return none;
  }
  if (!Array.isArray(value)) {
    reader.report(['rules'], 'WRONG_TYPE', 'rules must be a list.', 'Begin every rule with "- ".');
    return none;
  }
  const given = value.map((one: unknown, index) => reader.object(one, ['rules', index], PLAN_KEYS.rule));
  const ids = checkIds(reader, given);
  const list = given.map((one, index) => {
    if (one === undefined) return undefined;
    const path = ['rules', index];
    const before = reader.problems.length;
    const rule = checkRule(reader, one, path, { id: ids[index]!, catalogue });
    // Sense is only asked of rules that were understood: half a rule would get half-true messages.
    // A rule that is switched off may be one that does not work here.
    if (rule?.isEnabled === true && reader.problems.length === before) checkSense(reader, rule, path, world);
    return rule;
  });
  return { ids, list };
}

/** Stated ids first, then `latency-1`, `latency-2`, ... for the rest. */
function checkIds(reader: ValueReader, given: readonly (JsonObject | undefined)[]): readonly string[] {
  const firstUse = new Map<string, number>();
  const stated = given.map((one, index) => {
    const id = one === undefined ? undefined : checkId(reader, one, ['rules', index]);
    if (id === undefined) return undefined;
    const first = firstUse.get(id);
    if (first === undefined) firstUse.set(id, index);
    else
      reader.report(
        ['rules', index, 'id'],
        'DUPLICATE_ID',
        `rules[${first}] and rules[${index}] have the same id "${id}".`,
        `For example: id: ${id}-${freeOrdinal(id, firstUse, 1)}`,
      );
    return id;
  });
  const ordinals = new Map<string, number>();
  return given.map((one, index) => {
    const known = stated[index];
    if (known !== undefined) return known;
    const fault = one === undefined ? undefined : member(one, 'fault');
    const stem = typeof fault === 'string' ? fault.slice(0, 60) : 'rule';
    const ordinal = freeOrdinal(stem, firstUse, ordinals.get(stem));
    ordinals.set(stem, ordinal);
    return `${stem}-${ordinal}`;
  });
}

/** The next number that makes an id which no rule states. */
function freeOrdinal(stem: string, stated: { has(id: string): boolean }, last = 0): number {
  let ordinal = last + 1;
  while (stated.has(`${stem}-${ordinal}`)) ordinal++;
  return ordinal;
}

function checkLimits(reader: ValueReader, value: unknown): Limits {
  const none: Limits = { maxFaults: undefined, maxMinutes: undefined };
  const given = value === undefined ? undefined : reader.object(value, ['limits'], PLAN_KEYS.limits);
  if (given === undefined) return none;
  const maxFaults = member(given, 'maxFaults');
  const maxMinutes = member(given, 'maxMinutes');
  const minutes = maxMinutes === undefined ? undefined : reader.number(maxMinutes, ['limits', 'maxMinutes'], { min: 0 });
  if (minutes === 0) reader.report(['limits', 'maxMinutes'], 'OUT_OF_RANGE', 'limits.maxMinutes must be more than 0.');
  return {
    maxFaults: maxFaults === undefined ? undefined : reader.number(maxFaults, ['limits', 'maxFaults'], { min: 1, isWhole: true }),
    maxMinutes: minutes,
  };
}

function checkTask(reader: ValueReader, value: unknown, transport: TransportName | undefined): Plan['task'] {
  const given = value === undefined ? undefined : reader.object(value, ['task'], PLAN_KEYS.task);
  if (given === undefined) return { by: 'session' };
  const by = member(given, 'by') === undefined ? 'session' : reader.word(given['by'], ['task', 'by'], PLAN_WORDS.taskBy);
  const headerGiven = member(given, 'header');
  const header = headerGiven === undefined ? undefined : reader.text(headerGiven, ['task', 'header']);
  if (by === 'header' && headerGiven === undefined) reader.report(['task'], 'MISSING_KEY', 'task needs "header" when it goes by header.');
  if (by === 'header' && (transport === 'stdio' || transport === 'tcp')) {
    const message = `task.by cannot be "header" on ${transport}: ${transport === 'tcp' ? 'a byte stream' : 'a pipe'} carries no HTTP headers.`;
    reader.report(['task', 'by'], 'WRONG_CARRIER', message, 'Write: by: session');
  }
  if (by === 'session' && headerGiven !== undefined) {
    reader.report(['task', 'header'], 'NEVER_MATCHES', 'task.header is not used when task.by is "session".', 'Write: by: header');
  }
  if (header !== undefined && !/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(header)) {
    reader.report(['task', 'header'], 'OUT_OF_RANGE', 'task.header must be the name of an HTTP header.');
  }
  const deadlineGiven = member(given, 'deadlineMs');
  const deadlineMs = deadlineGiven === undefined ? undefined : reader.number(deadlineGiven, ['task', 'deadlineMs'], { min: 1, unit: 'ms' });
  return {
    ...(header === undefined || by !== 'header' ? { by: 'session' as const } : { by, header: header.toLowerCase() }),
    ...(deadlineMs === undefined ? {} : { deadlineMs }),
  };
}

function checkExpect(reader: ValueReader, value: unknown, { ids, list }: CheckedRules): Plan['expect'] {
  const given = value === undefined ? undefined : reader.object(value, ['expect'], PLAN_KEYS.expect);
  if (given === undefined) return { fired: [], measures: {} };
  const firedGiven = member(given, 'fired');
  const fired = firedGiven === undefined ? [] : (reader.names(firedGiven, ['expect', 'fired']) ?? []);
  fired.forEach((id, index) => {
    const path = Array.isArray(firedGiven) ? ['expect', 'fired', index] : ['expect', 'fired'];
    const at = ids.indexOf(id);
    if (at === -1) reader.report(path, 'NEVER_MATCHES', `${pathText(path)} names the unknown rule "${id}".`, suggest(id, ids));
    else if (list[at]?.isEnabled === false)
      reader.report(path, 'NEVER_MATCHES', `${pathText(path)} expects rule "${id}" to fire, and it is not enabled.`);
  });
  const measuresGiven = member(given, 'measures');
  if (measuresGiven === undefined) return { fired, measures: {} };
  if (!isObject(measuresGiven)) {
    reader.report(
      ['expect', 'measures'],
      'WRONG_TYPE',
      'expect.measures must be a mapping from measures to bounds.',
      'For example: { tcsr: { min: 0.95 } }',
    );
    return { fired, measures: {} };
  }
  for (const name of Object.keys(measuresGiven)) {
    if (MEASURE_NAMES.includes(name)) continue;
    const message = `expect.measures names the unknown measure ${describeValue(name)}.`;
    reader.report(['expect', 'measures', name], 'UNKNOWN_KEY', message, suggest(name, MEASURE_NAMES));
  }
  // fromEntries defines own members, so a measure called __proto__ is only a strange name.
  const measures = Object.fromEntries(
    Object.entries(measuresGiven).map(([name, bounds]) => [name, checkBounds(reader, bounds, ['expect', 'measures', name])]),
  );
  return { fired, measures };
}

function checkBounds(reader: ValueReader, value: unknown, path: readonly string[]): Bounds {
  const given = reader.object(value, path, PLAN_KEYS.bounds);
  if (given === undefined) return {};
  const minGiven = member(given, 'min');
  const maxGiven = member(given, 'max');
  const min = minGiven === undefined ? undefined : reader.number(minGiven, [...path, 'min'], {});
  const max = maxGiven === undefined ? undefined : reader.number(maxGiven, [...path, 'max'], {});
  if (minGiven === undefined && maxGiven === undefined) reader.report(path, 'MISSING_KEY', `${pathText(path)} needs "min" or "max".`);
  if (min !== undefined && max !== undefined && min > max) {
    reader.report(path, 'NEVER_MATCHES', `${pathText(path)} can never hold: its min ${min} is above its max ${max}.`);
  }
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) };
}
