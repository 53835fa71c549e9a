import { checkPlan, createCatalogue, isObject, PLAN_KEYS } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { KEY_ABOUT, planSchema, type JsonSchema } from './plan-schema.js';

const catalogue = createCatalogue(faults);
const schema = planSchema(catalogue);

test('the published schema is the one that the faults define (update it with: npx vitest run packages/toolquake/src/config/plan-schema.test.ts -u)', async () => {
  const file = fileURLToPath(new URL('../../schemas/plan.schema.json', import.meta.url));
  await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(file);
});

test('every key of the format is described by a sentence', () => {
  for (const [place, keys] of Object.entries(PLAN_KEYS)) {
    const about: Readonly<Record<string, string>> = KEY_ABOUT[place as keyof typeof KEY_ABOUT];
    expect(Object.keys(about)).toEqual([...keys]);
    for (const text of Object.values(about)) expect(text).toMatch(/\.$/);
  }
});

/** As much of JSON Schema as our schema uses; a keyword that it does not know fails. */
function accepts(rules: JsonSchema, value: unknown): boolean {
  return Object.entries(rules).every(([keyword, wanted]) => {
    const check = KEYWORDS[keyword];
    if (check === undefined) throw new Error(`unknown keyword ${keyword}`);
    return check(wanted, value, rules);
  });
}

const isType = (type: unknown, value: unknown): boolean =>
  type === 'object'
    ? isObject(value)
    : type === 'array'
      ? Array.isArray(value)
      : type === 'integer'
        ? Number.isInteger(value)
        : typeof value === type;
const schemas = (value: unknown): readonly JsonSchema[] => value as readonly JsonSchema[];
const always = (): boolean => true;

const KEYWORDS: Readonly<Record<string, (wanted: unknown, value: unknown, rules: JsonSchema) => boolean>> = {
  $schema: always,
  title: always,
  description: always,
  default: always,
  // Read by `if`.
  then: always,
  type: isType,
  const: (wanted, value) => wanted === value,
  enum: (wanted, value) => (wanted as readonly unknown[]).includes(value),
  required: (wanted, value) => !isObject(value) || (wanted as readonly string[]).every((key) => Object.hasOwn(value, key)),
  properties: (wanted, value) =>
    !isObject(value) ||
    Object.entries(wanted as Record<string, JsonSchema>).every(([key, rule]) => !Object.hasOwn(value, key) || accepts(rule, value[key])),
  additionalProperties: (wanted, value, rules) =>
    !isObject(value) ||
    Object.keys(value)
      .filter((key) => !Object.hasOwn((rules['properties'] ?? {}) as object, key))
      .every((key) => wanted !== false && accepts(wanted as JsonSchema, value[key])),
  items: (wanted, value) => !Array.isArray(value) || value.every((one) => accepts(wanted as JsonSchema, one)),
  propertyNames: (wanted, value) => !isObject(value) || Object.keys(value).every((key) => accepts(wanted as JsonSchema, key)),
  minItems: (wanted, value) => !Array.isArray(value) || value.length >= Number(wanted),
  minProperties: (wanted, value) => !isObject(value) || Object.keys(value).length >= Number(wanted),
  maxProperties: (wanted, value) => !isObject(value) || Object.keys(value).length <= Number(wanted),
  minLength: (wanted, value) => typeof value !== 'string' || value.length >= Number(wanted),
  maxLength: (wanted, value) => typeof value !== 'string' || value.length <= Number(wanted),
  pattern: (wanted, value) => typeof value !== 'string' || new RegExp(String(wanted)).test(value),
  minimum: (wanted, value) => typeof value !== 'number' || value >= Number(wanted),
  maximum: (wanted, value) => typeof value !== 'number' || value <= Number(wanted),
  exclusiveMinimum: (wanted, value) => typeof value !== 'number' || value > Number(wanted),
  oneOf: (wanted, value) => schemas(wanted).filter((rule) => accepts(rule, value)).length === 1,
  allOf: (wanted, value) => schemas(wanted).every((rule) => accepts(rule, value)),
  if: (wanted, value, rules) => !accepts(wanted as JsonSchema, value) || accepts(rules['then'] as JsonSchema, value),
};

const rule = (parts: object): object => ({ rules: [{ fault: 'latency', ...parts }] });

describe('an editor with the schema and "plan check" agree', () => {
  test.each<[isGood: boolean, plan: unknown]>([
    [true, { rules: [] }],
    [true, rule({ params: { addedMs: 4000, jitterMs: 1500 }, when: { tool: 'search_*' }, probability: 0.3 })],
    [true, rule({ at: { nth: [1, 3], window: { from: 0, to: 9 }, until: 'recovered', oncePer: 'args' } })],
    [true, rule({ at: { after: '1.5s', until: '2m' }, shape: { ramp: { from: 0, to: 1, over: '20s' } }, phase: 'pre' })],
    [true, rule({ shape: { burst: { rate: 0.02, meanLength: 16, scope: 'plan' } }, enabled: false })],
    [
      true,
      rule({
        shape: 'iid',
        when: { args: { a: 1 }, era: 'modern', session: ['a'], target: 't', direction: 'to-server', method: 'tools/*' },
      }),
    ],
    [
      true,
      {
        version: 1,
        seed: 42,
        rules: [],
        limits: { maxFaults: 1, maxMinutes: 0.5 },
        task: { by: 'header', header: 'x', deadlineMs: 1 },
        expect: { measures: { eta: { min: 0 } } },
      },
    ],
    ...[...catalogue.values()].map((fault): [boolean, unknown] => [
      true,
      {
        rules: [
          {
            fault: fault.type,
            phase: fault.phases[0],
            params: Object.fromEntries(Object.entries(fault.params).map(([name, spec]) => [name, spec.default])),
          },
        ],
      },
    ]),
    [false, {}],
    [false, []],
    [false, { rules: [{}] }],
    [false, { rules: [], extra: 1 }],
    [false, { version: 2, rules: [] }],
    [false, { seed: 1.5, rules: [] }],
    [false, { rules: [{ fault: 'nothing' }] }],
    [false, rule({ params: { addedMs: -1 } })],
    [false, rule({ params: { added: 1 } })],
    [false, rule({ probability: 2 })],
    [false, rule({ probability: 0 })],
    [false, rule({ phase: 'both' })],
    [false, { rules: [{ fault: 'lost-ack', phase: 'pre' }] }],
    [false, rule({ at: { first: 0 } })],
    [false, rule({ at: { nth: [] } })],
    [false, rule({ at: { after: '20 sec' } })],
    [false, rule({ at: { window: { from: 1 } } })],
    [false, rule({ shape: 'burst' })],
    [false, rule({ shape: { burst: { rate: 0.1, meanLength: 1 }, ramp: { from: 0, to: 1, over: 1 } } })],
    [false, rule({ shape: { burst: { rate: 0.1 } } })],
    [false, rule({ when: { tool: 5 } })],
    [false, rule({ when: { era: 'old' } })],
    [false, rule({ id: '' })],
    [false, { rules: [], limits: { maxFaults: 0 } }],
    [false, { rules: [], expect: { measures: { eta: {} } } }],
    [false, { rules: [], expect: { measures: { etta: { min: 0 } } } }],
  ])('%j: %j', (isGood, plan) => {
    expect({ schema: accepts(schema, plan), check: checkPlan(plan, catalogue).problems.length === 0 }).toEqual({
      schema: isGood,
      check: isGood,
    });
  });
});
