import { expect, test } from 'vitest';
import type { JsonObject } from '../core/message.js';
import { createTestRig, exampleCall, faultContract, type TestRig } from '../testing/index.js';
import { mrtrStateTamper } from './mrtr-state-tamper.js';

faultContract(mrtrStateTamper, { example: { how: 'corrupt' } });

const withState = (id: number, requestState: string): JsonObject => {
  const call = exampleCall({ id, era: 'modern' });
  return { ...call, params: { ...(call['params'] as JsonObject), requestState } };
};

/** The states that reach the server when a client brings these back. */
function statesAfter(how: string, states: readonly string[]): { readonly rig: TestRig; readonly got: readonly unknown[] } {
  const rig = createTestRig(mrtrStateTamper, { params: { how }, era: 'modern' });
  states.forEach((state, index) => rig.request(withState(index, state)));
  return { rig, got: rig.ends.messages('to-server').map((message) => ((message as JsonObject)['params'] as JsonObject)['requestState']) };
}

test('changes one character', () => {
  const [state] = statesAfter('corrupt', ['AAAABBBB']).got;
  expect(state).toHaveLength(8);
  expect(Array.from(String(state)).filter((letter, index) => letter !== 'AAAABBBB'[index])).toHaveLength(1);
  expect(statesAfter('corrupt', ['']).got).toEqual(['A']);
});

test('leaves the state out, and nothing else', () => {
  expect(statesAfter('drop', ['s']).rig.ends.messages('to-server')).toEqual([exampleCall({ id: 0, era: 'modern' })]);
});

test('brings an earlier state back', () => {
  const { rig, got } = statesAfter('replay', ['one', 'two', 'two']);
  expect(got).toEqual(['one', 'one', 'two']);
  expect(rig.outcomes.toSorted()).toEqual([
    'delivered',
    'not-delivered: the earlier state is the same',
    'not-delivered: there is no earlier state',
  ]);
});

test('a call without state is left alone', () => {
  const rig = createTestRig(mrtrStateTamper, { era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.outcomes).toEqual(['not-delivered: the request carries no state']);
});
