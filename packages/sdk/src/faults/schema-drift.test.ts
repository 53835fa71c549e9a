import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
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
