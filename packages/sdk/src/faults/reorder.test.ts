import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { reorder } from './reorder.js';

faultContract(reorder, { example: { maxWaitMs: 100 } });

const answered = (rig: TestRig): readonly unknown[] =>
  rig.ends.log.filter(({ to }) => to === 'to-client').map(({ part, atMs }) => [part, atMs]);

function twoCalls(): TestRig {
  const rig = createTestRig(reorder, { params: { maxWaitMs: 100 } });
  rig.request(exampleCall({ id: 1 }));
  rig.request(exampleCall({ id: 2 }));
  return rig;
}

test('an answer lets the next one overtake it, and keeps its own words', () => {
  const rig = twoCalls();
  rig.answer(exampleAnswer(exampleResult({ call: 'first' }), { id: 1 }));
  rig.clock.advance(10);
  rig.answer(exampleAnswer(exampleResult({ call: 'second' }), { id: 2 }));
  expect(answered(rig)).toEqual([
    [2, 10],
    [1, 10],
  ]);
  expect(rig.ends.messages('to-client')).toEqual([
    exampleAnswer(exampleResult({ call: 'second' }), { id: 2 }),
    exampleAnswer(exampleResult({ call: 'first' }), { id: 1 }),
  ]);
  rig.clock.advance(1000);
  expect(answered(rig)).toHaveLength(2);
});

test('an answer that nobody overtakes goes on after a while', () => {
  const rig = twoCalls();
  rig.answer(exampleAnswer(exampleResult(), { id: 1 }));
  rig.clock.advance(1000);
  expect(answered(rig)).toEqual([[1, 100]]);
});

test('an answer that is alone is not kept waiting', () => {
  const rig = createTestRig(reorder);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(answered(rig)).toEqual([[1, 0]]);
  expect(rig.outcomes).toEqual(['not-delivered: no other call was in flight']);
});
