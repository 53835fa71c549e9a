/** The JSON Schema of the plan format, for editors. Derived from the keys of the format and the faults' own parameters. */
import {
  MAX_RULE_ID_LENGTH,
  MEASURE_NAMES,
  type PLAN_KEYS,
  PLAN_WORDS,
  type Catalogue,
  type Fault,
  type ParamSpec,
} from '@toolquake/sdk/core';

/** A piece of JSON Schema. */
export type JsonSchema = { readonly [key: string]: unknown };

/** One sentence for every key, by the object that it stands in. */
export const KEY_ABOUT = {
  plan: {
    version: 'Version of this format; 1.',
    seed: 'The same seed and the same calls make the same draws.',
    rules: 'When which fault fires; order decides where two cannot both act.',
    limits: 'Limits over all rules.',
    task: 'How calls are grouped into tasks.',
    expect: 'What must be true at the end of a run.',
  },
  rule: {
    id: 'Name in journals and reports, unique; by default the fault and a number.',
    fault: 'Which fault; see "toolquake faults".',
    params: 'Parameters of the fault.',
    when: 'Which traffic the rule looks at; everything by default.',
    at: 'Which matches may fire, counted from 1 per session and tool.',
    probability: 'Chance that a match fires.',
    shape: 'How firings are spread.',
    phase: 'pre: the server never executes. post: it did, and the answer is what breaks.',
    enabled: 'false keeps the rule without using it.',
  },
  when: {
    tool: 'Names of tools; * and ? are wildcards.',
    method: 'Names of methods; * and ? are wildcards.',
    direction: 'Which way the message travels; by default to-server, unless the fault is about what servers send unasked.',
    args: 'Arguments that the call must contain.',
    session: 'Labels of sessions; * and ? are wildcards.',
    era: 'Protocol era.',
    target: 'Names of servers; * and ? are wildcards.',
  },
  at: {
    nth: 'Only these matches.',
    every: 'Every so many matches.',
    first: 'Only so many matches at first.',
    after: 'Only after so many matches, or so long after the start.',
    window: 'Only between two points.',
    until: 'Only up to so many matches or so long after the start, or until a call succeeds again.',
    oncePer: 'At most once for the same arguments, for a session, or for a tool.',
  },
  window: { from: 'Where the window opens.', to: 'Where it closes.' },
  shape: {
    iid: 'Every match draws for itself.',
    burst: 'Bad runs of calls.',
    episode: 'Bad runs of whole tasks.',
    ramp: 'A chance that changes steadily.',
  },
  chain: {
    rate: 'Share of all steps that is bad; at most meanLength / (meanLength + 1).',
    meanLength: 'Average length of a bad run.',
    scope: 'What a run belongs to; call is the same as tool.',
  },
  ramp: { from: 'Chance at first.', to: 'Chance at the end.', over: 'How long it takes.' },
  limits: { maxFaults: 'Firings in all, delivered or not.', maxMinutes: 'Time from the start in which faults may fire.' },
  task: {
    by: 'What tells tasks apart.',
    header: 'The HTTP header that names the task.',
    deadlineMs: "When a live call is too late; the client's own timeout counts where it shows.",
  },
  expect: { fired: 'Rules that must have fired.', measures: 'Bounds for measures.' },
  bounds: { min: 'Lowest allowed value.', max: 'Highest allowed value.' },
} as const satisfies { readonly [Place in keyof typeof PLAN_KEYS]: { readonly [Key in (typeof PLAN_KEYS)[Place][number]]: string } };

const SHARE: JsonSchema = { type: 'number', minimum: 0, maximum: 1 };
const NAMES: JsonSchema = {
  oneOf: [
    { type: 'string', minLength: 1 },
    { type: 'array', items: { type: 'string', minLength: 1 } },
  ],
};
const POINT: JsonSchema = {
  oneOf: [
    { type: 'integer', minimum: 0 },
    { type: 'string', pattern: '^\\d{1,12}(\\.\\d{1,6})? ?(ms|s|m|h)$' },
  ],
};
const POSITIVE: JsonSchema = { type: 'integer', minimum: 1 };

/** A closed object whose keys are described by `KEY_ABOUT`. */
function closed(
  place: keyof typeof KEY_ABOUT,
  properties: { readonly [key: string]: JsonSchema },
  required: readonly string[] = [],
): JsonSchema {
  const about: Readonly<Record<string, string>> = KEY_ABOUT[place];
  const described = Object.entries(properties).map(([key, schema]) => [key, { description: about[key], ...schema }]);
  return {
    type: 'object',
    additionalProperties: false,
    ...(required.length === 0 ? {} : { required }),
    properties: Object.fromEntries(described),
  };
}

/** The schema for a catalogue. */
export function planSchema(catalogue: Catalogue): JsonSchema {
  const faults = [...catalogue.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'Toolquake fault plan',
    ...closed(
      'plan',
      {
        version: { const: 1 },
        seed: { type: 'integer', minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER, default: 0 },
        rules: { type: 'array', items: ruleSchema(faults) },
        limits: closed('limits', { maxFaults: POSITIVE, maxMinutes: { type: 'number', exclusiveMinimum: 0 } }),
        task: closed('task', {
          by: { enum: PLAN_WORDS.taskBy, default: 'session' },
          header: { type: 'string' },
          deadlineMs: { type: 'number', minimum: 1 },
        }),
        expect: closed('expect', {
          fired: NAMES,
          measures: {
            type: 'object',
            propertyNames: { enum: MEASURE_NAMES },
            additionalProperties: { minProperties: 1, ...closed('bounds', { min: { type: 'number' }, max: { type: 'number' } }) },
          },
        }),
      },
      ['rules'],
    ),
  };
}

function ruleSchema(faults: readonly Fault[]): JsonSchema {
  const rule = closed(
    'rule',
    {
      id: { type: 'string', minLength: 1, maxLength: MAX_RULE_ID_LENGTH },
      fault: { enum: faults.map(({ type }) => type) },
      params: { type: 'object' },
      when: closed('when', {
        tool: NAMES,
        method: NAMES,
        direction: { enum: PLAN_WORDS.direction },
        args: { type: 'object' },
        session: NAMES,
        era: { enum: PLAN_WORDS.era },
        target: NAMES,
      }),
      at: closed('at', {
        nth: { oneOf: [POSITIVE, { type: 'array', items: POSITIVE, minItems: 1 }] },
        every: POSITIVE,
        first: POSITIVE,
        after: POINT,
        window: closed('window', { from: POINT, to: POINT }, ['from', 'to']),
        until: { oneOf: [{ const: 'recovered' }, POINT] },
        oncePer: { enum: PLAN_WORDS.oncePer },
      }),
      probability: { type: 'number', exclusiveMinimum: 0, maximum: 1, default: 1 },
      shape: shapeSchema(),
      phase: { enum: PLAN_WORDS.phase },
      enabled: { type: 'boolean', default: true },
    },
    ['fault'],
  );
  return { ...rule, allOf: faults.map(perFault) };
}

function shapeSchema(): JsonSchema {
  const chain = closed(
    'chain',
    {
      rate: { type: 'number', exclusiveMinimum: 0, maximum: 1 },
      meanLength: { type: 'number', minimum: 1 },
      scope: { enum: PLAN_WORDS.scope, default: 'tool' },
    },
    ['rate', 'meanLength'],
  );
  const ramp = closed('ramp', { from: SHARE, to: SHARE, over: POINT }, ['from', 'to', 'over']);
  const named = closed('shape', { iid: { type: 'object', maxProperties: 0 }, burst: chain, episode: chain, ramp });
  return { oneOf: [{ const: 'iid' }, { minProperties: 1, maxProperties: 1, ...named }] };
}

/** Parameters and phases depend on the fault. */
function perFault(fault: Fault): JsonSchema {
  const properties = Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, paramSchema(spec)]));
  return {
    if: { required: ['fault'], properties: { fault: { const: fault.type } } },
    then: {
      description: fault.summary,
      properties: { params: { additionalProperties: false, properties }, phase: { enum: fault.phases, default: fault.phases[0] } },
    },
  };
}

function paramSchema(spec: ParamSpec): JsonSchema {
  const base = { description: spec.about, default: spec.default };
  switch (spec.kind) {
    case 'ms':
      return { ...base, type: 'number', minimum: spec.min, maximum: spec.max };
    case 'count':
      return { ...base, type: 'integer', minimum: spec.min, maximum: spec.max };
    case 'ratio':
      return { ...base, ...SHARE };
    case 'oneOf':
      return { ...base, enum: spec.choices };
    case 'text':
      return { ...base, type: 'string' };
    case 'flag':
      return { ...base, type: 'boolean' };
    case 'names':
      return { ...base, ...NAMES };
  }
}
