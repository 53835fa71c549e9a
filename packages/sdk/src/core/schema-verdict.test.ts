import { AjvJsonSchemaValidator } from '@modelcontextprotocol/sdk/validation/ajv';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameFromMessage } from './frame.js';
import type { JsonObject } from './message.js';
import { keepsOutputSchema, keepsSchema, type SchemaVerdict } from './schema-verdict.js';

describe('the verdict', () => {
  const person = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
  const tree = { type: 'object', properties: { left: { $ref: '#' }, n: { $ref: '#/$defs/n' } }, $defs: { n: { type: 'integer' } } };
  test.each<[JsonObject, unknown, SchemaVerdict]>([
    [person, { name: 'Ada' }, true],
    [person, { name: 7 }, false],
    [person, {}, false],
    [tree, { left: { left: { n: 1 } } }, true],
    [tree, { left: { left: { n: 'x' } } }, false],
    [{ type: 'string', maxLength: 2 }, '😀😀', true],
    [{ type: 'string', minLength: 2 }, '😀', false],
    [{ type: 'string', format: 'email', title: 'x' }, 'no mail', true],
    // What is not evaluated is unknown, unless something else is broken.
    [{ type: 'string', pattern: '^(a+)+$' }, 'aaaa', undefined],
    [{ type: 'string', pattern: '^(a+)+$' }, 7, false],
    [{ additionalProperties: false, patternProperties: { '^x': {} } }, { xa: 1 }, undefined],
    [{ $ref: 'https://example.org/x' }, 1, undefined],
    [{ $ref: '#anchor' }, 1, undefined],
    [{ $ref: '#/$defs/missing' }, 1, undefined],
    [{ $ref: '#/__proto__' }, 1, undefined],
    [{ type: 'decimal' }, 1, undefined],
    [{ not: { pattern: 'x' } }, 'a', undefined],
    [{ anyOf: [{ pattern: 'x' }, { type: 'string' }] }, 'a', true],
    [{ oneOf: [{ type: 'string' }, { minLength: 0 }] }, 'a', false],
    [{ if: { pattern: 'x' }, then: { type: 'string' }, else: { type: 'string' } }, 'a', true],
    [{ $schema: 'http://json-schema.org/draft-07/schema#', $ref: '#/definitions/a', type: 'string', definitions: { a: {} } }, 1, true],
    [{ multipleOf: 0.1 }, 0.3, true],
    [{ exclusiveMinimum: true, minimum: 1 }, 1, undefined],
  ])('%j for %j is %s', (schema, value, verdict) => {
    expect(keepsSchema(schema, value)).toBe(verdict);
  });
});

test('never contradicts the validator that clients use', () => {
  const scalar = fc.oneof(fc.constantFrom('', 'a', 'abc', '😀'), fc.constantFrom(0, 1, 1.5, -2), fc.boolean(), fc.constant(null));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { maxKeys: 2 }),
    ),
  }));
  const small = fc.integer({ min: 0, max: 3 });
  const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => {
    const some = fc.array(tie('schema'), { minLength: 1, maxLength: 2 });
    const parts: Record<string, fc.Arbitrary<unknown>> = {
      type: fc.constantFrom('string', 'number', 'integer', 'object', 'array', 'null', 'boolean', ['string', 'null']),
      const: value,
      enum: fc.uniqueArray(value, { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) }),
      anyOf: some,
      oneOf: some,
      allOf: some,
      not: tie('schema'),
      if: tie('schema'),
      items: tie('schema'),
      contains: tie('schema'),
      properties: fc.dictionary(fc.constantFrom('a', 'b'), tie('schema'), { maxKeys: 2 }),
      required: fc.uniqueArray(fc.constantFrom('a', 'b')),
      additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      propertyNames: fc.constantFrom({ maxLength: 1 }, { const: 'a' }),
      minimum: small,
      maximum: small,
      exclusiveMinimum: small,
      exclusiveMaximum: small,
      multipleOf: fc.constantFrom(1, 0.5, 2),
      minLength: small,
      maxLength: small,
      minItems: small,
      maxItems: small,
      uniqueItems: fc.boolean(),
      minProperties: small,
      maxProperties: small,
    };
    const one = fc
      .uniqueArray(fc.constantFrom(...Object.keys(parts)), { maxLength: 3 })
      .chain((words) => fc.record(Object.fromEntries(words.map((word) => [word, parts[word]!]))));
    return { schema: fc.oneof({ depthSize: 'small', maxDepth: 3 }, fc.constant({}), one) };
  });
  // It may write to what it is given.
  const validators = new AjvJsonSchemaValidator();
  fc.assert(
    fc.property(schema, value, (given, data) => {
      const isValid = validators.getValidator(structuredClone(given))(structuredClone(data)).valid;
      expect(keepsSchema(given, data)).toBe(isValid);
    }),
    { numRuns: 300 },
  );
});

describe('a hostile schema', () => {
  test.each<[string, JsonObject, unknown]>([
    ['that refers to itself', { $ref: '#' }, 1],
    ['that doubles with every step', { anyOf: [{ allOf: [{ $ref: '#' }] }, { allOf: [{ $ref: '#' }] }] }, 1],
    ['with a long list', { items: { enum: Array.from({ length: 20_000 }, (_, index) => index) } }, Array.from({ length: 5000 }, () => -1)],
    [
      'with long names',
      { items: { required: Array.from({ length: 20_000 }, (_, index) => `n${index}`) } },
      Array.from({ length: 5000 }, () => ({})),
    ],
  ])('%s is given up on', (_, schema, value) => {
    expect(keepsSchema(schema, value, 1_000_000)).not.toBe(true);
  });

  test('pays for everything that its parts look at, before they are too many', () => {
    const wide = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`n${index}`, index]));
    const long = Array.from({ length: 20_000 }, () => 1);
    const path = `#/${'a/'.repeat(20_000)}`;
    const asked: readonly [JsonObject, unknown][] = [
      [{ minProperties: 1 }, wide],
      [{ maxProperties: 1e9 }, wide],
      [{ properties: {} }, wide],
      [{ additionalProperties: true }, wide],
      [{ propertyNames: true }, wide],
      [{ items: true }, long],
      [{ contains: false }, long],
      [{ type: long }, 1],
      [{ const: wide }, {}],
      [{ enum: [wide] }, {}],
      [{ $ref: path }, 1],
      [{ dependentSchemas: wide }, {}],
      [{ oneOf: long.map(() => false) }, 1],
    ];
    for (const [part, value] of asked) {
      let looks = 0;
      const counted = new Proxy(part, { get: (target, key) => (looks++, Reflect.get(target, key)) });
      expect(keepsSchema({ allOf: Array.from({ length: 10_000 }, () => counted) }, value, 200_000)).not.toBe(true);
      // Without a price the part would be asked for all 10,000 times.
      expect(looks, Object.keys(part)[0]).toBeLessThan(200);
    }
  });

  test('and a hostile value never throw', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    expect(keepsSchema({ items: { $ref: '#' }, uniqueItems: true }, deep)).toBeUndefined();
    fc.assert(fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.jsonValue(), (schema, value) => void keepsSchema(schema, value)));
  });
});

test('an answer is judged by its structured content, where it is a whole result and the tool promises something', () => {
  const tool = { name: 't', inputSchema: undefined, outputSchema: { type: 'object', required: ['n'] } };
  const verdict = (message: JsonObject, known: typeof tool | undefined = tool): SchemaVerdict =>
    keepsOutputSchema(known, frameFromMessage('to-client', message));
  expect(verdict({ result: { structuredContent: { n: 1 } } })).toBe(true);
  expect(verdict({ result: { structuredContent: {} } })).toBe(false);
  expect(verdict({ result: { content: [] } })).toBe(false);
  expect(verdict({ result: { content: [], isError: true } })).toBeUndefined();
  expect(verdict({ result: { resultType: 'input_required' } })).toBeUndefined();
  expect(verdict({ result: { task: { taskId: '1' } } })).toBeUndefined();
  expect(verdict({ error: { code: 1 } })).toBeUndefined();
  expect(keepsOutputSchema(undefined, frameFromMessage('to-client', { result: {} }))).toBeUndefined();
});
