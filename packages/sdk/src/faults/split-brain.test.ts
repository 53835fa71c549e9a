import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { splitBrain } from './split-brain.js';

faultContract(splitBrain, { example: { wrong: 'text' } });

function split(result: JsonObject, params: JsonObject): { content: { text: string }[]; structuredContent: unknown } {
  const rig = createTestRig(splitBrain, { params });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  return (rig.ends.messages('to-client')[0] as JsonObject)['result'] as never;
}

test.each(['text', 'structured'])('only %s lies', (wrong) => {
  const { content, structuredContent } = split(exampleResult({ total: 88.25 }), { wrong });
  const said = { text: JSON.parse(content[0]!.text) as unknown, structured: structuredContent };
  const { [wrong]: lie, ...truth } = said as Record<string, { total: number }>;
  expect(Object.values(truth)).toEqual([{ total: 88.25 }]);
  expect(lie?.total).not.toBe(88.25);
});

test.each([
  [{ content: [{ type: 'text', text: '{"total":88.25}' }] }, 'the data stand in one place only'],
  [{ content: [], structuredContent: { total: 88.25 } }, 'the data stand in one place only'],
  [exampleResult({ note: 'words' }), 'there is no value that could be wrong'],
])('leaves %j alone', (result, why) => {
  const rig = createTestRig(splitBrain);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  expect(rig.outcomes).toEqual([`not-delivered: ${why}`]);
});
