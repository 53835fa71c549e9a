/** Says in words what a plan would hit, how, and how often. Pure: text and data come from the checked plan alone. */
import {
  callsByName,
  whyNotOn,
  type At,
  type ParamSpec,
  type Plan,
  type Point,
  type Rule,
  type Shape,
  type TransportName,
} from '@toolquake/sdk/core';

/** Every place where rules are performed. */
export const TRANSPORTS: readonly TransportName[] = ['stdio', 'http', 'fetch', 'in-process', 'database', 'tcp', 'simulator'];

/** One rule in words. */
export type RuleExplanation = {
  readonly id: string;
  readonly fault: string;
  readonly isEnabled: boolean;
  /** `On calls of tools matching search_*`. */
  readonly hits: string;
  /** `30 % of the time`. */
  readonly howOften: string;
  readonly does: string;
  /** Long-run share of the matches that fire, before `at` and limits; undefined where it changes over time. */
  readonly expectedShare: number | undefined;
  readonly worksOn: readonly TransportName[];
  readonly doesNotWorkOn: Readonly<Partial<Record<TransportName, string>>>;
};

/** A plan in words. */
export type PlanExplanation = {
  readonly seed: number;
  readonly rules: readonly RuleExplanation[];
  readonly limits: readonly string[];
  readonly expectations: readonly string[];
};

/** Explains a checked plan. */
export function explainPlan(plan: Plan): PlanExplanation {
  const { maxFaults, maxMinutes } = plan.limits;
  return {
    seed: plan.seed,
    rules: plan.rules.map(explainRule),
    limits: [
      ...(maxFaults === undefined ? [] : [`at most ${counted(maxFaults, 'fault')} in all`]),
      ...(maxMinutes === undefined ? [] : [`nothing after ${counted(maxMinutes, 'minute')}`]),
    ],
    expectations: [
      ...plan.expect.fired.map((id) => `rule ${id} fires`),
      ...Object.entries(plan.expect.measures).map(([name, { min, max }]) =>
        [
          name,
          ...(min === undefined ? [] : [`is at least ${min}`]),
          ...(max === undefined ? [] : [min === undefined ? `is at most ${max}` : `and at most ${max}`]),
        ].join(' '),
      ),
    ],
  };
}

function explainRule(rule: Rule): RuleExplanation {
  const reasons = TRANSPORTS.map((transport) => [transport, whyNotOn(rule.fault, transport)] as const);
  return {
    id: rule.id,
    fault: rule.fault.type,
    isEnabled: rule.isEnabled,
    hits: hits(rule),
    howOften: howOften(rule),
    does: does(rule),
    expectedShare: expectedShare(rule.shape, rule.probability),
    worksOn: reasons.flatMap(([transport, why]) => (why === undefined ? [transport] : [])),
    doesNotWorkOn: Object.fromEntries(reasons.flatMap(([transport, why]) => (why === undefined ? [] : [[transport, why]]))),
  };
}

const or = (names: readonly string[]): string =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;

function hits({ when, fault }: Rule): string {
  const methods = when.method ?? fault.methods;
  const isCalls = methods.includes('tools/call') && methods.every(callsByName);
  const what =
    fault.trigger === 'connect'
      ? 'new connections'
      : isCalls && when.tool === undefined
        ? 'tool calls'
        : isCalls
          ? `calls of ${toolText(when.tool!)}`
          : `${or(methods)} messages${when.tool === undefined ? '' : ` about ${toolText(when.tool)}`}`;
  return [
    `On ${what}`,
    ...((when.direction ?? fault.direction) === 'to-client' ? ['from the server to the client'] : []),
    ...(when.args === undefined ? [] : [`with arguments that contain ${JSON.stringify(when.args)}`]),
    ...(when.session === undefined ? [] : [`in sessions named ${or(when.session)}`]),
    ...(when.era === undefined ? [] : [`in the ${when.era} era`]),
    ...(when.target === undefined ? [] : [`to the target ${or(when.target)}`]),
  ].join(' ');
}

function toolText(tools: readonly string[]): string {
  const isPattern = tools.some((tool) => /[*?]/.test(tool));
  return isPattern ? `tools matching ${or(tools)}` : `${tools.length === 1 ? 'the tool' : 'the tools'} ${or(tools)}`;
}

function howOften({ at, shape, probability }: Rule): string {
  const places = atText(at);
  const spread = shapeText(shape, probability);
  if (places.length === 0) return spread ?? 'every time';
  return `${places.join(', ')}${spread === undefined ? '' : `, ${spread}`} (counted per session and tool)`;
}

function atText(at: At): readonly string[] {
  return [
    ...(at.nth === undefined ? [] : [`only match ${or(at.nth.map(String))}`]),
    ...(at.every === undefined ? [] : [at.every === 1 ? 'every match' : `every ${ordinal(at.every)} match`]),
    ...(at.first === undefined ? [] : [at.first === 1 ? 'only the first match' : `only the first ${at.first} matches`]),
    ...(at.after === undefined ? [] : [`after ${pointText(at.after)}`]),
    ...(at.window === undefined ? [] : [`from ${pointText(at.window.from)} to ${pointText(at.window.to)}`]),
    ...(at.until === undefined ? [] : [at.until === 'recovered' ? 'until a call succeeds again' : `until ${pointText(at.until)}`]),
    ...(at.oncePer === undefined ? [] : [`once per ${at.oncePer === 'args' ? 'set of arguments' : at.oncePer}`]),
  ];
}

const SCOPES = { call: 'per session and tool', tool: 'per session and tool', session: 'per session', plan: 'over the whole plan' } as const;

function shapeText(shape: Shape, probability: number): string | undefined {
  const within = probability === 1 ? '' : `, and in them ${percent(probability)} of the time`;
  switch (shape.kind) {
    case 'iid':
      return probability === 1 ? undefined : `${percent(probability)} of the time`;
    case 'burst':
      return `in bursts of ${number(shape.meanLength)} matches on average that take ${percent(shape.rate)} of all (${SCOPES[shape.scope]})${within}`;
    case 'episode':
      return `in episodes of ${number(shape.meanLength)} tasks on average that take ${percent(shape.rate)} of all (${SCOPES[shape.scope]})${within}`;
    case 'ramp':
      return `${percent(shape.from * probability)} of the time at first, ${percent(shape.to * probability)} after ${pointText(shape.over)}`;
  }
}

function expectedShare(shape: Shape, probability: number): number | undefined {
  if (shape.kind === 'ramp') return undefined;
  return shape.kind === 'iid' ? probability : probability * shape.rate;
}

function does({ fault, params, phase }: Rule): string {
  const settings = Object.entries(fault.params).flatMap(([name, spec]) => {
    const value = valueText(spec, params[name]);
    return value === '' ? [] : [`${name} ${value}`];
  });
  const both = fault.phases.length > 1 ? [phase === 'pre' ? 'before the server has seen it' : 'after the server did its work'] : [];
  const details = [...settings, ...both];
  return details.length === 0 ? fault.summary : `${fault.summary.replace(/\.$/, '')} (${details.join(', ')}).`;
}

/** A parameter's value as people write it. */
export function valueText(spec: ParamSpec, value: unknown): string {
  if (spec.kind === 'ms') return `${String(value)} ms`;
  if (spec.kind === 'names') return or(value as readonly string[]);
  if (spec.kind === 'text') return value === '' ? '' : JSON.stringify(value);
  return String(value);
}

function pointText(point: Point): string {
  return 'ms' in point ? durationText(point.ms) : `match ${point.matches}`;
}

function durationText(ms: number): string {
  if (ms < 1000) return `${number(ms)} ms`;
  return ms < 120_000 ? `${number(ms / 1000)} s` : `${number(ms / 60_000)} min`;
}

function ordinal(value: number): string {
  const ending = value % 100 >= 11 && value % 100 <= 13 ? 'th' : (['th', 'st', 'nd', 'rd'][value % 10] ?? 'th');
  return `${value}${ending}`;
}

const number = (value: number): string => String(Math.round(value * 1000) / 1000);

function percent(share: number): string {
  // Small rates keep their digits: 0.02 % must not become 0 %.
  return `${Number((share * 100).toPrecision(3))} %`;
}

function counted(amount: number, noun: string): string {
  return `${number(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
