import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject } from './message.js';
import { accepts, leastOf, listedValues, promisedAt } from './output-schema.js';

const schema: JsonObject = {
  type: 'object',
  properties: {
    orders: { type: 'array', items: { $ref: '#/$defs/order' } },
    state: { enum: ['open', 'closed'] },
    note: { anyOf: [{ type: 'string', maxLength: 5 }, { type: 'null' }] },
  },
  required: ['orders', 'state'],
  additionalProperties: false,
  $defs: { order: { type: 'object', properties: { id: { type: 'string' }, total: { type: 'number', minimum: 0 } }, required: ['id'] } },
};

test('finds what is promised about a member, through lists and references', () => {
  expect(promisedAt(schema, ['orders', null, 'id'])).toEqual({ schema: { type: 'string' }, isRequired: true });
  expect(promisedAt(schema, ['orders', 3, 'total'])?.isRequired).toBe(false);
  expect(promisedAt(schema, ['note'])?.isRequired).toBe(false);
  expect([promisedAt(schema, ['other']), promisedAt(schema, ['state', 'x']), promisedAt(schema, ['toString'])]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('takes no longer for a list of values that was made to be searched', () => {
  const large = Array.from({ length: 200_000 }, (_, index) => index);
  const listed = Array.from({ length: 20_000 }, (_, index) => ({ index }));
  expect(accepts({}, { enum: listed }, { large })).toBe(false);
  expect(accepts({}, { enum: [...listed, { b: 1, a: 2 }] }, { a: 2, b: 1 })).toBe(true);
});

test.each([
  [{ orders: [], state: 'open' }, true],
  [{ orders: [{ id: 'a', total: 1 }], state: 'open', note: null }, true],
  [{ orders: [{ id: 'a', total: -1 }], state: 'open' }, false],
  [{ orders: [{}], state: 'open' }, false],
  [{ orders: [], state: 'lost' }, false],
  [{ orders: [], state: 'open', note: 'too long' }, false],
  [{ orders: [], state: 'open', more: 1 }, false],
  [{ state: 'open' }, false],
  [[], false],
])('knows whether %j is what was promised', (value, isFine) => {
  expect(accepts(schema, schema, value)).toBe(isFine);
});

test('knows values that are listed one by one', () => {
  expect(listedValues(schema, { enum: ['a', 'b'] })).toEqual(['a', 'b']);
  expect(listedValues(schema, { anyOf: [{ const: 1 }, { const: 2 }] })).toEqual([1, 2]);
  expect(listedValues(schema, { anyOf: [{ const: 1 }, { type: 'string' }] })).toBeUndefined();
});

test('makes the least that a schema is content with', () => {
  expect(leastOf(schema)).toEqual({ orders: [], state: 'open' });
  expect(accepts(schema, schema, leastOf(schema))).toBe(true);
});

test('lives through schemas without an end, and schemas that are none', () => {
  const endless: JsonObject = {
    anyOf: Array.from({ length: 50 }, () => ({ $ref: '#' })),
    properties: { a: { $ref: '#' } },
    required: ['a', 'b'],
  };
  const circle: JsonObject = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/a' } } };
  for (const root of [endless, circle]) {
    accepts(root, root, { a: { a: [1] } });
    promisedAt(root, ['a', 'a', null, 'a']);
    leastOf(root);
  }
  const wordy = fc.dictionary(
    fc.constantFrom('type', 'properties', 'items', 'required', 'enum', 'anyOf', 'allOf', '$ref', 'minimum'),
    fc.oneof(fc.jsonValue(), fc.constantFrom('#', 'string', '#/properties')),
  );
  fc.assert(
    fc.property(wordy, fc.jsonValue(), (root, value) => {
      const given = { ...root } as JsonObject;
      accepts(given, given, value);
      promisedAt(given, ['a', null, 'b']);
      listedValues(given, given);
      leastOf(given);
    }),
  );
});
