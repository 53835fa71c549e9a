import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { mrtrLoop } from './mrtr-loop.js';

faultContract(mrtrLoop, { example: { rounds: 3 } });

const withState = (id: number, requestState: unknown): JsonObject => {
  const call = exampleCall({ id, era: 'modern' });
  return { ...call, params: { ...(call['params'] as JsonObject), requestState, inputResponses: {} } };
};

test('sends a call back as often as asked for, then has it executed as if nothing had been', () => {
  const rig = createTestRig(mrtrLoop, { params: { rounds: 2 }, at: { first: 1 }, era: 'modern' });
  rig.request(exampleCall({ id: 1, era: 'modern' }));
  for (const id of [2, 3]) {
    const { result } = rig.ends.messages('to-client').at(-1) as { result: JsonObject };
    expect(result).toEqual({ resultType: 'input_required', requestState: `continue:${id - 1}` });
    rig.request(withState(id, result['requestState']));
  }
  expect(rig.ends.messages('to-server')).toEqual([exampleCall({ id: 3, era: 'modern' })]);
  expect(rig.outcomes).toEqual(['delivered', 'delivered', 'delivered']);
});

test('other calls of the session pass while one is sent back', () => {
  const rig = createTestRig(mrtrLoop, { at: { first: 1 }, era: 'modern' });
  rig.request(exampleCall({ id: 1, era: 'modern' }));
  rig.request(exampleCall({ id: 2, era: 'modern' }));
  expect(rig.ends.messages('to-server')).toEqual([exampleCall({ id: 2, era: 'modern' })]);
});

test('keeps out of a conversation that the server itself has begun', () => {
  const rig = createTestRig(mrtrLoop, { era: 'modern' });
  rig.request(withState(1, 'page=2'));
  expect(rig.ends.messages('to-server')).toEqual([withState(1, 'page=2')]);
  expect(rig.outcomes).toEqual(['not-delivered: the server has asked for input itself']);
});
