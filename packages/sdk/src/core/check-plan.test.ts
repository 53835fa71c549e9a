import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkPlan, requirePlan } from './check-plan.js';
import { createDecider } from './decide.js';
import { createCatalogue, defineFault, type TransportName } from './fault.js';
import { count, flag, ms, names, oneOf, ratio, text } from './params.js';
import { PLAN_KEYS } from './plan-keys.js';
import { keyedRandom } from './random.js';

const slow = defineFault({
  type: 'slow',
  summary: 'Slow.',
  carriers: ['mcp'],
  role: 'shaping',
  phases: ['post', 'pre'],
  params: {
    addedMs: ms({ default: 250, about: 'Time.' }),
    times: count({ default: 1, min: 1, max: 9, unit: 'times', about: 'Times.' }),
    share: ratio({ default: 0.5, about: 'Share.' }),
    mode: oneOf(['hang', 'reset'], { default: 'hang', about: 'Mode.' }),
    note: text({ default: '', about: 'Note.' }),
    isLoud: flag({ default: false, about: 'Loud.' }),
    fields: names({ default: [], about: 'Fields.' }),
  },
  decide: () => [],
});
const refuse = defineFault({
  type: 'refuse',
  summary: 'Refuses.',
  carriers: ['http'],
  role: 'terminal',
  trigger: 'connect',
  methods: [],
  eras: ['legacy'],
  cannot: { fetch: 'There is nothing to refuse.' },
  params: {},
  decide: () => [],
});
const catalogue = createCatalogue([slow, refuse]);

/** The problems of a plan as `path code message | advice`. */
function problemsOf(value: unknown, transport?: TransportName): readonly string[] {
  return checkPlan(value, catalogue, { transport }).problems.map(
    ({ path, code, message, advice }) => `${path.join('.')} ${code} ${message}${advice === undefined ? '' : ` | ${advice}`}`,
  );
}

const rule = (parts: object): object => ({ version: 1, rules: [{ id: 'r', fault: 'slow', ...parts }] });

describe('checkPlan', () => {
  test('fills in what a rule leaves out', () => {
    const { plan } = checkPlan({ rules: [{ fault: 'slow' }] }, catalogue);
    expect(plan).toEqual({
      version: 1,
      seed: 0,
      rules: [
        {
          id: 'slow-1',
          fault: slow,
          params: { addedMs: 250, times: 1, share: 0.5, mode: 'hang', note: '', isLoud: false, fields: [] },
          when: {},
          at: {},
          probability: 1,
          shape: { kind: 'iid' },
          phase: 'post',
          isEnabled: true,
        },
      ],
      limits: { maxFaults: undefined, maxMinutes: undefined },
      task: { by: 'session' },
      expect: { fired: [], measures: {} },
    });
  });

  test('reads every key of the format', () => {
    const { plan, problems } = checkPlan(
      {
        version: 1,
        seed: -7,
        rules: [
          {
            id: 'all',
            fault: 'slow',
            params: { addedMs: 1.5, fields: 'one' },
            when: {
              tool: 'a_*',
              method: ['tools/call'],
              direction: 'to-server',
              args: { a: { b: 1 } },
              session: ['s'],
              era: 'modern',
              target: 't',
            },
            at: { nth: [2, 4], every: 2, first: 9, after: 1, window: { from: '1.5s', to: '2m' }, until: 'recovered', oncePer: 'args' },
            probability: 0.5,
            shape: { burst: { rate: 0.02, meanLength: 16, scope: 'plan' } },
            phase: 'pre',
            enabled: true,
          },
          { fault: 'slow', shape: { ramp: { from: 0, to: 1, over: '20s' } }, at: { nth: 3, until: 10 } },
          { fault: 'slow', shape: { episode: { rate: 0.1, meanLength: 2 } }, at: { after: '500ms' } },
        ],
        limits: { maxFaults: 200, maxMinutes: 10 },
        task: { by: 'header', header: 'X-Task', deadlineMs: 2000 },
        expect: { fired: ['all', 'slow-1'], measures: { tcsr: { min: 0.9 }, eta: { min: 0, max: 1 } } },
      },
      catalogue,
    );
    expect(problems).toEqual([]);
    expect(plan?.rules.map(({ id }) => id)).toEqual(['all', 'slow-1', 'slow-2']);
    expect(plan?.rules[0]).toMatchObject({
      when: { tool: ['a_*'], method: ['tools/call'], session: ['s'], target: ['t'], era: 'modern', args: { a: { b: 1 } } },
      at: {
        nth: [2, 4],
        every: 2,
        first: 9,
        after: { matches: 1 },
        window: { from: { ms: 1500 }, to: { ms: 120_000 } },
        until: 'recovered',
        oncePer: 'args',
      },
      params: { addedMs: 1.5, fields: ['one'] },
      shape: { kind: 'burst', rate: 0.02, meanLength: 16, scope: 'plan' },
    });
    expect(plan?.rules[1]?.shape).toEqual({ kind: 'ramp', from: 0, to: 1, over: { ms: 20_000 } });
    expect(plan?.rules[2]).toMatchObject({ shape: { kind: 'episode', scope: 'tool' }, at: { after: { ms: 500 } } });
    expect(plan?.task).toEqual({ by: 'header', header: 'x-task', deadlineMs: 2000 });
  });

  test.each<[string, unknown, string]>([
    [
      'a deadline of nothing',
      { rules: [], task: { deadlineMs: 0 } },
      'task.deadlineMs OUT_OF_RANGE task.deadlineMs must be a number of at least 1 ms, not 0. | The nearest allowed value is 1.',
    ],
    ['no mapping', [], ' WRONG_TYPE the plan must be a mapping, not a list. | Its keys: version, seed, rules, limits, task, expect.'],
    ['a wrong version', { version: 2, rules: [] }, 'version OUT_OF_RANGE version must be 1. | The nearest allowed value is 1.'],
    ['no rules', { version: 1 }, ' MISSING_KEY The plan needs "rules". | A plan that does nothing says: rules: []'],
    ['an unknown key', { rules: [], sede: 1 }, 'sede UNKNOWN_KEY the plan has the unknown key "sede". | Did you mean "seed"?'],
    ['a seed that is no number', { rules: [], seed: 'x' }, 'seed WRONG_TYPE seed must be a whole number, not "x".'],
    [
      'an unknown fault',
      rule({ fault: 'slwo' }),
      'rules.0.fault UNKNOWN_FAULT Rule "r" uses the unknown fault "slwo". | Did you mean "slow"? Run "toolquake faults" to list all of them.',
    ],
    ['no fault', { rules: [{ id: 'x' }] }, 'rules.0 MISSING_KEY Rule "x" needs "fault". | Run "toolquake faults" to list them.'],
    [
      'probability 2',
      rule({ probability: 2 }),
      'rules.0.probability OUT_OF_RANGE rules[0].probability must be a number from 0 to 1, not 2. | The nearest allowed value is 1.',
    ],
    [
      'probability NaN',
      rule({ probability: Number.NaN }),
      'rules.0.probability OUT_OF_RANGE rules[0].probability must be a number from 0 to 1, not NaN.',
    ],
    [
      'a negative delay',
      rule({ params: { addedMs: -5 } }),
      'rules.0.params.addedMs OUT_OF_RANGE rules[0].params.addedMs must be a number from 0 to 86400000 ms, not -5. | The nearest allowed value is 0.',
    ],
    [
      'half a count',
      rule({ params: { times: 1.5 } }),
      'rules.0.params.times OUT_OF_RANGE rules[0].params.times must be a whole number from 1 to 9, not 1.5. | The nearest allowed value is 2.',
    ],
    [
      'an unknown parameter',
      rule({ params: { added_ms: 5 } }),
      'rules.0.params.added_ms UNKNOWN_KEY rules[0].params has the unknown key "added_ms". | Did you mean "addedMs"?',
    ],
    [
      'an unknown choice',
      rule({ params: { mode: 'rest' } }),
      'rules.0.params.mode WRONG_TYPE rules[0].params.mode must be "hang" or "reset", not "rest". | Did you mean "reset"?',
    ],
    [
      'a number for a name',
      rule({ when: { tool: 42 } }),
      'rules.0.when.tool WRONG_TYPE rules[0].when.tool must be a name or a list of names, not 42. | Put it in quotes: "42".',
    ],
    [
      'a bad time',
      rule({ at: { after: '20 sec' } }),
      'rules.0.at.after WRONG_TYPE rules[0].at.after must be a number of matches or a time, not "20 sec". | Times look like "500ms", "1.5s", "2m" or "1h".',
    ],
    ['half a window', rule({ at: { window: { from: 1 } } }), 'rules.0.at.window MISSING_KEY rules[0].at.window needs "to".'],
    [
      'a shape without numbers',
      rule({ shape: 'burst' }),
      'rules.0.shape WRONG_TYPE rules[0].shape must be "iid" or a mapping with one shape, not "burst". | Write: shape: { burst: { rate: ..., meanLength: ..., scope: ... } }',
    ],
    [
      'two shapes',
      rule({ shape: { burst: { rate: 0.1, meanLength: 2 }, ramp: { from: 0, to: 1, over: 5 } } }),
      'rules.0.shape WRONG_TYPE rules[0].shape must name exactly one shape, not burst and ramp. | Shapes: iid, burst, episode, ramp.',
    ],
    [
      'a phase that the fault does not have',
      { rules: [{ fault: 'refuse', phase: 'post' }] },
      'rules.0.phase WRONG_TYPE rules[0].phase: the fault refuse has no phase "post". | Allowed: pre.',
    ],
    [
      'duplicate ids',
      {
        rules: [
          { id: 'a', fault: 'slow' },
          { id: 'a', fault: 'slow' },
        ],
      },
      'rules.1.id DUPLICATE_ID rules[0] and rules[1] have the same id "a". | For example: id: a-2',
    ],
    [
      'limits of nothing',
      { rules: [], limits: { maxFaults: 0 } },
      'limits.maxFaults OUT_OF_RANGE limits.maxFaults must be a whole number of at least 1, not 0. | The nearest allowed value is 1.',
    ],
    [
      'bounds that exclude everything',
      { rules: [], expect: { measures: { eta: { min: 1, max: 0 } } } },
      'expect.measures.eta NEVER_MATCHES expect.measures.eta can never hold: its min 1 is above its max 0.',
    ],
    [
      'a bound on a measure that does not exist',
      { rules: [], expect: { measures: { blastradius: { max: 0.5 } } } },
      'expect.measures.blastradius UNKNOWN_KEY expect.measures names the unknown measure "blastradius". | Did you mean "blastRadius"?',
    ],
    [
      'a rate that its chain cannot reach',
      rule({ shape: { burst: { rate: 0.9, meanLength: 2 } } }),
      'rules.0.shape.burst.rate OUT_OF_RANGE rules[0].shape.burst.rate must be at most 0.667 with a meanLength of 2, not 0.9: at least one good step follows every bad run. | The highest rate that it reaches is 0.666666.',
    ],
    [
      'an expected rule that is not there',
      { rules: [{ id: 'one', fault: 'slow' }], expect: { fired: ['onee'] } },
      'expect.fired.0 NEVER_MATCHES expect.fired[0] names the unknown rule "onee". | Did you mean "one"?',
    ],
    [
      'a constructor',
      JSON.parse('{"rules":[],"constructor":{}}'),
      'constructor UNKNOWN_KEY the plan has the unknown key "constructor". | Allowed: version, seed, rules, limits, task, expect.',
    ],
    [
      'a prototype',
      JSON.parse('{"rules":[],"__proto__":{"seed":1}}'),
      '__proto__ UNKNOWN_KEY the plan has the unknown key "__proto__". | Allowed: version, seed, rules, limits, task, expect.',
    ],
  ])('refuses %s', (_, value, problem) => {
    expect(problemsOf(value)).toEqual([problem]);
  });

  test.each<[string, object]>([
    ['at.first 0', { at: { first: 0 } }],
    ['an empty nth', { at: { nth: [] } }],
    ['a window that ends before it begins', { at: { window: { from: 5, to: 5 } } }],
    ['a window in time that ends before it begins', { at: { window: { from: '20s', to: '10s' } } }],
    ['a start after the end', { at: { after: 5, until: 5 } }],
    ['an nth beyond the first', { at: { nth: [7], first: 3 } }],
    ['an every beyond the first', { at: { every: 5, first: 4 } }],
    ['an nth that every never reaches', { at: { nth: [3], every: 2 } }],
    ['probability 0', { probability: 0 }],
    ['a burst of rate 0', { shape: { burst: { rate: 0, meanLength: 3 } } }],
    ['a ramp from 0 to 0', { shape: { ramp: { from: 0, to: 0, over: 3 } } }],
    ['an empty list of tools', { when: { tool: [] } }],
    ['tool calls from the server', { when: { direction: 'to-client' } }],
    ['server requests from the client', { when: { method: 'sampling/createMessage' } }],
    ['a tool of a method without tools', { when: { tool: 'a', method: 'ping' } }],
    ['arguments of a method without them', { when: { method: 'tools/list', args: { a: 1 } } }],
    ['initialize in the modern era', { when: { method: 'initialize', era: 'modern' } }],
    ['a connection with a tool', { fault: 'refuse', when: { tool: 'a' } }],
  ])('finds that a rule can never match: %s', (_, parts) => {
    const problems = checkPlan(rule(parts), catalogue).problems;
    expect(problems.map(({ code }) => code)).toEqual(['NEVER_MATCHES']);
    expect(problems[0]?.message).toMatch(/^Rule "r" can never match: /);
    // Switched off, the same rule is kept.
    expect(problemsOf(rule({ ...parts, enabled: false }))).toEqual([]);
  });

  test('finds a start after the time limit of the plan', () => {
    expect(problemsOf({ ...rule({ at: { after: '2m' } }), limits: { maxMinutes: 1 } })).toHaveLength(1);
  });

  test('lets rules pass that only look impossible', () => {
    for (const parts of [
      { at: { every: 5, first: 5 } },
      { at: { after: 4, first: 5 } },
      { when: { method: 'sampling/*', direction: 'to-client' } },
    ]) {
      expect(problemsOf(rule(parts))).toEqual([]);
    }
  });

  test('says why a fault cannot act on a transport, and where it can', () => {
    const plan = { rules: [{ id: 'r', fault: 'refuse' }] };
    expect(problemsOf(plan, 'stdio')).toEqual([
      'rules.0.fault WRONG_CARRIER Rule "r": the fault refuse cannot act on stdio: it acts on http, and stdio carries mcp and bytes. | It works on: http, simulator.',
    ]);
    expect(problemsOf(plan, 'fetch')[0]).toContain('cannot act on fetch: There is nothing to refuse.');
    expect(problemsOf(plan, 'http')).toEqual([]);
    expect(problemsOf({ rules: [{ id: 'r', fault: 'refuse', when: { era: 'modern' } }] })).toEqual([
      'rules.0.when.era WRONG_CARRIER Rule "r": the fault refuse cannot act in the modern era. | It works in: legacy.',
    ]);
  });

  test('reports everything at once', () => {
    expect(
      problemsOf({ sede: 1, rules: [{ fault: 'slwo', probability: 2 }, { fault: 'slow', params: { mode: 1 }, at: { first: -1 } }, 7] }),
    ).toHaveLength(6);
  });

  test('numbers rules without an id, around those that have one', () => {
    const { plan } = checkPlan(
      { rules: [{ fault: 'slow' }, { id: 'slow-1', fault: 'slow' }, { fault: 'slow' }, { fault: 'refuse' }] },
      catalogue,
    );
    expect(plan?.rules.map(({ id }) => id)).toEqual(['slow-2', 'slow-1', 'slow-3', 'refuse-1']);
  });

  test('refuses arguments that contain themselves', () => {
    const args: { [key: string]: unknown } = {};
    args['again'] = args;
    expect(problemsOf(rule({ when: { args } }))[0]).toContain('TOO_LARGE');
  });

  test('stays quick with tens of thousands of rules', () => {
    const { plan } = checkPlan({ rules: Array.from({ length: 50_000 }, () => ({ fault: 'slow' })) }, catalogue);
    expect(plan?.rules.at(-1)?.id).toBe('slow-50000');
  });
});

test('requirePlan throws one error with every message', () => {
  expect(requirePlan({ rules: [] }, catalogue).rules).toEqual([]);
  expect(() => requirePlan({ rules: 1, seed: 'x' }, catalogue)).toThrow(/seed must be a whole number[^]*rules must be a list/);
});

// Values that come close to a plan find more than random JSON does.
const anyKey = fc.constantFrom(...Object.values(PLAN_KEYS).flat(), ...Object.keys(slow.params), '__proto__', 'constructor', 'toString');
const nearlyPlan = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom<unknown>(
      'slow',
      'refuse',
      'notifications/*',
      'iid',
      'pre',
      'post',
      'recovered',
      '5s',
      'tools/call',
      'legacy',
      null,
      true,
      0,
      1,
      0.5,
      -1,
      Number.NaN,
    ),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(anyKey, tie('value'), { maxKeys: 5 }),
    fc.jsonValue(),
  ),
}));
const nearlyRule = fc
  .record({ fault: fc.constantFrom('slow', 'refuse') })
  .chain((base) => fc.dictionary(anyKey, nearlyPlan.value, { maxKeys: 4 }).map((rest) => ({ ...rest, ...base })));
const anyPlan = fc.oneof(
  nearlyPlan.value,
  fc.anything(),
  fc.record({ rules: fc.array(fc.oneof(nearlyRule, nearlyPlan.value), { maxLength: 4 }) }),
);

test('never throws, and what it returns can be run', () => {
  fc.assert(
    fc.property(anyPlan, fc.constantFrom(undefined, 'stdio' as const, 'http' as const), (value, transport) => {
      const { plan, problems } = checkPlan(value, catalogue, { transport });
      expect(plan === undefined).toBe(problems.length > 0);
      if (plan === undefined) return;
      expect(new Set(plan.rules.map(({ id }) => id)).size).toBe(plan.rules.length);
      for (const one of plan.rules) {
        expect(catalogue.get(one.fault.type)).toBe(one.fault);
        expect(Object.keys(one.params)).toEqual(Object.keys(one.fault.params));
        expect(one.probability >= 0 && one.probability <= 1).toBe(true);
        expect(one.fault.phases).toContain(one.phase);
      }
      createDecider({ plan, random: keyedRandom(plan.seed), transport: 'simulator', startedAtMs: 0 });
    }),
    { numRuns: 3000 },
  );
  expect(({} as Record<string, unknown>)['seed']).toBeUndefined();
});
