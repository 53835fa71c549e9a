import { isDeepStrictEqual } from 'node:util';
import { describe, expect, test } from 'vitest';
import { checkPlan } from '../core/check-plan.js';
import { placesIn, type DataPath } from '../core/data-path.js';
import { createCatalogue } from '../core/fault.js';
import type { JsonObject } from '../core/message.js';
import { accepts, promisedAt } from '../core/output-schema.js';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { schemaDrift } from './schema-drift.js';

faultContract(schemaDrift, { example: { op: 'auto' } });

function drift(result: JsonObject, op: string, seed = 1): { result: JsonObject; outcomes: readonly string[] } {
  const rig = createTestRig(schemaDrift, { params: { op }, seed });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return { result: (rig.ends.messages('to-client')[0] as JsonObject)['result'] as JsonObject, outcomes: rig.outcomes };
}

test.each([
  ['rename', { order_total: 1 }, { orderTotal: 1 }],
  ['rename', { orderTotal: 1 }, { order_total: 1 }],
  ['rename', { total: 1 }, { total_value: 1 }],
  ['drop', { total: 1 }, {}],
  ['retype', { total: 1.5 }, { total: '1.5' }],
  ['retype', { name: 'a' }, { name: ['a'] }],
  ['retype', { tags: ['a', 'b'] }, { tags: 'a' }],
  ['nullify', { total: 1 }, { total: null }],
])('%s turns %j into %j, in text and structured content alike', (op, before, after) => {
  expect(drift(exampleResult(before), op).result).toEqual(exampleResult(after));
});

test('changes a member in all items of a list at once, and keeps the order of members', () => {
  const text = (data: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(data) }] });
  const items = [{ a_b: 1 }, { a_b: 2 }, 3];
  expect(drift(text(items), 'rename').result).toEqual(text([{ aB: 1 }, { aB: 2 }, 3]));
  expect(JSON.stringify(drift(exampleResult({ x_y: 1 }), 'rename').result['structuredContent'])).toBe('{"xY":1}');
});

test('changes structured content that is a list, and no text beside a bare value', () => {
  const both = (data: unknown) => ({ content: [{ type: 'text', text: JSON.stringify(data) }], structuredContent: data });
  expect(drift(both([{ a_b: 1 }]), 'rename').result).toEqual(both([{ aB: 1 }]));
  const bare = { content: [{ type: 'text', text: '{"a":1}' }], structuredContent: 5 };
  expect(drift(bare, 'drop')).toEqual({ result: bare, outcomes: ['not-delivered: there are no members to change'] });
});

test('draws another member with another seed, and the same with the same', () => {
  const data = Object.fromEntries(['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, 1]));
  const dropped = (seed: number) => JSON.stringify(drift(exampleResult(data), 'drop', seed).result);
  expect(dropped(7)).toBe(dropped(7));
  expect(new Set(Array.from({ length: 30 }, (_, seed) => dropped(seed))).size).toBeGreaterThan(3);
});

test('never takes a name that is taken', () => {
  const { result } = drift(exampleResult({ list: [{ a_b: 1, aB: 2, aB_value: 3 }] }), 'rename', 3);
  const { list } = result['structuredContent'] as { list?: JsonObject[] };
  expect(list === undefined ? 3 : Object.keys(list[0] ?? {}).length).toBe(3);
});

test.each([
  [{ content: [{ type: 'text', text: 'plain' }] }, 'there are no members to change'],
  [{ ...exampleResult({ a: 1 }), isError: true }, 'the tool reported an error'],
])('leaves %j alone', (result, why) => {
  expect(drift(result, 'auto')).toEqual({ result, outcomes: [`not-delivered: ${why}`] });
});

test('changes the named members wherever they stand, and nothing else', () => {
  const rig = createTestRig(schemaDrift, { params: { op: 'drop', fields: ['id', 'total'] } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ id: 1, total: 2, items: [{ id: 3, name: 'a' }], kept: { total: 4, more: 5 } })));
  const { result } = rig.ends.messages('to-client')[0] as JsonObject;
  expect(result).toEqual(exampleResult({ items: [{ name: 'a' }], kept: { more: 5 } }));
});

test('says so when no named member is there', () => {
  const rig = createTestRig(schemaDrift, { params: { op: 'drop', fields: ['absent'] } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ id: 1 })));
  expect(rig.outcomes).toEqual(['not-delivered: there are no members to change']);
});

test.each([
  ['nest', { total: 1 }, { total: { value: 1 } }],
  ['enum', { state: 'open' }, { state: 'OPEN' }],
  ['array-scalar', { tags: ['a', 'b'] }, { tags: 'a' }],
  ['array-scalar', { tag: 'a' }, { tag: ['a'] }],
  ['extra', { total: 1 }, { total: 1, total_raw: 1 }],
])('%s turns %j into %j', (op, before, after) => {
  expect(drift(exampleResult(before), op).result).toEqual(exampleResult(after));
});

describe('with the output schema of the tool', () => {
  const outputSchema = {
    type: 'object',
    properties: {
      id: { type: 'string' },
      state: { enum: ['open', 'closed'] },
      note: { anyOf: [{ type: 'string' }, { type: 'null' }] },
      items: { type: 'array', items: { type: 'object', properties: { amount: { type: 'number' } }, required: ['amount'] } },
    },
    required: ['id', 'state', 'items'],
  };
  const data = { extraOfTheServer: 1, id: 'a', state: 'open', note: 'x', items: [{ amount: 1 }, { amount: 2 }] };

  function listedDrift(params: JsonObject, seed: number): { data: JsonObject; rig: TestRig } {
    const rig = createTestRig(schemaDrift, { params, seed });
    rig.request(exampleRequest('tools/list', {}, { id: 8 }));
    rig.answer(exampleAnswer({ tools: [{ name: 'list_orders', inputSchema: {}, outputSchema }] }, { id: 8 }));
    rig.request(exampleCall({ id: 9 }));
    rig.answer(exampleAnswer(exampleResult(data), { id: 9 }));
    const { result } = rig.ends.messages('to-client')[1] as { result: { structuredContent: JsonObject } };
    return { data: result.structuredContent, rig };
  }
  const seeds = Array.from({ length: 60 }, (_, seed) => seed);

  test.each(['auto', 'rename', 'drop', 'retype', 'nullify', 'nest', 'enum', 'array-scalar', 'extra'])('%s breaks or leaves it', (op) => {
    for (const seed of seeds) {
      const { data: dirty, rig } = listedDrift({ op }, seed);
      const names = (value: unknown): readonly unknown[] => placesIn(value, true).map(({ path }) => path);
      const hasLeft = names(dirty).some(
        (path) => promisedAt(outputSchema, path as DataPath) === undefined && !names(data).some((known) => isDeepStrictEqual(known, path)),
      );
      expect(!accepts(outputSchema, outputSchema, dirty) || hasLeft, JSON.stringify(dirty)).toBe(true);
      expect(dirty['extraOfTheServer'], 'what the schema does not know is left alone').toBe(1);
      expect(rig.journal.find((entry) => entry.kind === 'fault')).toHaveProperty('changes');
    }
  });

  test('leaves null alone where it is allowed, and never drops what may be missing', () => {
    for (const seed of seeds) {
      expect(listedDrift({ op: 'nullify' }, seed).data['note']).toBe('x');
      expect(listedDrift({ op: 'drop' }, seed).data).toHaveProperty('note');
      expect(listedDrift({ op: 'enum' }, seed).data['state']).toBe('OPEN');
    }
  });

  test('draws from the members that it requires, or from the others', () => {
    for (const seed of seeds) {
      expect(listedDrift({ members: 'required' }, seed).data).toHaveProperty('note', 'x');
      expect(listedDrift({ members: 'optional', op: 'rename' }, seed).data).toHaveProperty('note_value', 'x');
    }
  });
});

describe('without a schema', () => {
  test('prefers members that earlier answers always had', () => {
    const dropped = Array.from({ length: 40 }, (_, seed) => {
      const rig = createTestRig(schemaDrift, { params: { op: 'drop' }, at: { nth: [3] }, seed });
      for (const [id, data] of [
        { steady: 1, a: 1 },
        { steady: 2, b: 1 },
        { steady: 3, a: 1, b: 1, c: 1 },
      ].entries()) {
        rig.request(exampleCall({ id }));
        rig.answer(exampleAnswer(exampleResult(data), { id }));
      }
      return (rig.ends.messages('to-client')[2] as { result: { structuredContent: JsonObject } }).result.structuredContent;
    });
    for (const data of dropped) expect(data).toEqual({ a: 1, b: 1, c: 1 });
  });

  test('knows nothing to be optional before the second answer', () => {
    const rig = createTestRig(schemaDrift, { params: { members: 'optional' } });
    rig.request(exampleCall());
    rig.answer(exampleAnswer(exampleResult({ a: 1 })));
    expect(rig.outcomes).toEqual(['not-delivered: there are no members to change']);
  });
});

test('changes what a path names: in every item, or in one', () => {
  const at = (path: string): unknown => {
    const rig = createTestRig(schemaDrift, { params: { op: 'nullify', path } });
    rig.request(exampleCall());
    rig.answer(exampleAnswer(exampleResult({ total: 1, items: [{ total: 2 }, { total: 3 }] })));
    return (rig.ends.messages('to-client')[0] as { result: { structuredContent: JsonObject } }).result.structuredContent;
  };
  expect(at('items[*].total')).toEqual({ total: 1, items: [{ total: null }, { total: null }] });
  expect(at('$.items[1].total')).toEqual({ total: 1, items: [{ total: 2 }, { total: null }] });
  expect(at('items.total')).toEqual({ total: 1, items: [{ total: 2 }, { total: 3 }] });
});

test('says what is wrong with a path', () => {
  const rules = [{ id: 'drift', fault: 'schema-drift', params: { path: 'a[' } }];
  const { problems } = checkPlan({ version: 1, rules }, createCatalogue([schemaDrift]));
  expect(problems.map(({ message }) => message).join()).toContain('its path is not of the form');
});

test('takes no longer for a schema that was made to be searched', () => {
  const data = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`member_${index}`, 1234.5 + index]));
  const choices = Array.from({ length: 8 }, () => ({ $ref: '#/$defs/step_0' }));
  const $defs = Object.fromEntries(
    Array.from({ length: 20 }, (_, at) => [
      `step_${at}`,
      at === 19 ? { anyOf: choices, allOf: choices } : { $ref: `#/$defs/step_${at + 1}` },
    ]),
  );
  const properties = Object.fromEntries(Object.keys(data).map((name) => [name, { $ref: '#/$defs/step_0' }]));
  const rig = createTestRig(schemaDrift);
  rig.request(exampleRequest('tools/list', {}, { id: 8 }));
  rig.answer(exampleAnswer({ tools: [{ name: 'list_orders', inputSchema: {}, outputSchema: { properties, $defs } }] }, { id: 8 }));
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult(data)));
  expect(rig.outcomes).toEqual(['delivered']);
});

test.each([
  ['as a whole', (items: unknown[]) => [items]],
  ['item by item', (items: unknown[]) => items],
])('text that holds bare what structured content wraps drifts with it: %s', (_how, texts) => {
  const wrapped = (items: unknown[]): JsonObject => ({
    content: texts(items).map((data) => ({ type: 'text', text: JSON.stringify(data) })),
    structuredContent: { result: items },
  });
  const rig = createTestRig(schemaDrift, { params: { op: 'drop', path: 'result[*].total' } });
  rig.request(exampleCall());
  rig.answer(
    exampleAnswer(
      wrapped([
        { id: 1, total: 5 },
        { id: 2, total: 6 },
      ]),
    ),
  );
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(wrapped([{ id: 1 }, { id: 2 }]))]);
});
