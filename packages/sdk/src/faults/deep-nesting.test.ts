import { expect, test } from 'vitest';
import { frameBytes, frameFromMessage } from '../core/frame.js';
import { isObject, type JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { deepNesting } from './deep-nesting.js';

faultContract(deepNesting, { example: { levels: 50 } });

function depthOf(data: unknown): number {
  let depth = 0;
  for (let value = data; isObject(value) && Object.keys(value).length === 1; value = Object.values(value)[0]) depth++;
  return depth;
}

function nest(result: JsonObject, levels: number): { content: { text: string }[]; structuredContent: unknown } {
  const rig = createTestRig(deepNesting, { params: { levels } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return (rig.ends.messages('to-client')[0] as JsonObject)['result'] as never;
}

test('puts a member so many levels deep, in text and structured content', () => {
  const { content, structuredContent } = nest(exampleResult({ total: 5 }), 200);
  expect([depthOf(structuredContent), depthOf(JSON.parse(content[0]!.text))]).toEqual([201, 201]);
});

test('words become nested text', () => {
  expect(depthOf(JSON.parse(nest({ content: [{ type: 'text', text: 'Words.' }] }, 30).content[0]!.text))).toBe(30);
});

test('can be written at its deepest', () => {
  const { content, structuredContent } = nest(exampleResult({ total: 5 }), 3000);
  expect(depthOf(structuredContent)).toBe(3001);
  expect(
    frameBytes(frameFromMessage('to-client', { jsonrpc: '2.0', id: 1, result: { content, structuredContent } })).length,
  ).toBeGreaterThan(60_000);
});

test.each([[exampleResult({})], [{ content: [] }], [{ content: [], structuredContent: [1] }]])('leaves %j alone', (result) => {
  const rig = createTestRig(deepNesting);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  expect(rig.outcomes).toEqual(['not-delivered: there is nothing to nest']);
});
