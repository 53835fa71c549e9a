import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { contradiction } from './contradiction.js';

faultContract(contradiction, { example: {} });

function read(rig: TestRig, id: number, order: string, data: JsonObject): unknown {
  rig.request(exampleCall({ id, args: { order } }));
  rig.answer(exampleAnswer(exampleResult(data), { id }));
  return (rig.ends.messages('to-client').at(-1) as { result: { structuredContent: unknown } }).result.structuredContent;
}

test('contradicts the first answer when the same call is made again, and only then', () => {
  const rig = createTestRig(contradiction);
  expect(read(rig, 1, 'a', { total: 88.25 })).toEqual({ total: 88.25 });
  expect(read(rig, 2, 'b', { total: 41.75 })).toEqual({ total: 41.75 });
  expect(read(rig, 3, 'a', { total: 88.25 })).not.toEqual({ total: 88.25 });
  expect(rig.outcomes).toEqual(['not-delivered: the call was not made before', 'not-delivered: the call was not made before', 'delivered']);
});

test('knows calls that its rule left alone, and never repeats what they said', () => {
  for (let seed = 0; seed < 40; seed++) {
    const rig = createTestRig(contradiction, { at: { nth: [2] }, seed });
    read(rig, 1, 'a', { n: 5 });
    expect([5, 6]).not.toContain((read(rig, 2, 'a', { n: 6 }) as { n: number }).n);
  }
});
