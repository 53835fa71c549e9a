import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { hugeResult } from './huge-result.js';

faultContract(hugeResult, { example: { bytes: 5000 } });

function grow(
  result: JsonObject,
  bytes: number,
): { result: { content: { text: string }[]; structuredContent?: unknown }; outcomes: readonly string[] } {
  const rig = createTestRig(hugeResult, { params: { bytes } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return { result: (rig.ends.messages('to-client')[0] as JsonObject)['result'] as never, outcomes: rig.outcomes };
}

test('repeats the items of the largest list, in both places alike', () => {
  const { result } = grow(exampleResult({ items: [{ id: 1 }, { id: 2 }], tags: ['a'] }), 100_000);
  expect(result.content[0]!.text.length).toBeGreaterThanOrEqual(100_000);
  expect(JSON.parse(result.content[0]!.text)).toEqual(result.structuredContent);
  const { items, tags } = result.structuredContent as { items: unknown[]; tags: unknown };
  expect([items[0], items[1], items[2], tags]).toEqual([{ id: 1 }, { id: 2 }, { id: 1 }, ['a']]);
});

test.each([[exampleResult({ note: 'words' })], [{ content: [{ type: 'text', text: 'Only words.' }] }]])(
  'repeats words where there is no list: %j',
  (result) => {
    expect(grow(result, 50_000).result.content[0]!.text.length).toBeGreaterThanOrEqual(50_000);
  },
);

test.each([
  [exampleResult({ n: 5 }), 100_000, 'there is nothing to repeat'],
  [{ content: [] }, 100_000, 'there is nothing to repeat'],
  [exampleResult({ items: ['x'.repeat(500)] }), 100, 'the result is as large as that already'],
])('leaves %j alone', (result, bytes, why) => {
  expect(grow(result, bytes)).toEqual({ result, outcomes: [`not-delivered: ${why}`] });
});

test('takes no longer for lists inside lists', () => {
  let data: unknown = 'x'.repeat(2_000_000);
  for (let level = 0; level < 250; level++) data = [data, 1];
  expect(grow({ content: [], structuredContent: data }, 1_000_000).outcomes).toEqual([
    'not-delivered: the result is as large as that already',
  ]);
});
