import { expect, test } from 'vitest';
import { startSession } from '../core/session.js';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { crossWire } from './cross-wire.js';

faultContract(crossWire, { example: { maxWaitMs: 100 } });

const answerOf = (id: string | number, order: string) => exampleAnswer(exampleResult({ order }), { id });
const twoCalls = (rig: TestRig): void => {
  rig.request(exampleCall({ id: 1, tool: 'a' }));
  rig.request(exampleCall({ id: 'b', tool: 'b' }));
};

test('swaps results but keeps ids', () => {
  const rig = createTestRig(crossWire);
  twoCalls(rig);
  rig.answer(answerOf('b', 'of b'));
  expect(rig.ends.messages('to-client')).toEqual([]);
  rig.answer(answerOf(1, 'of 1'));
  expect(rig.ends.messages('to-client')).toEqual([answerOf('b', 'of 1'), answerOf(1, 'of b')]);
  expect(rig.ends.log.filter(({ to }) => to === 'to-client').map(({ part }) => part)).toEqual(['b', 1]);
  rig.clock.advance(10_000);
  expect(rig.ends.messages('to-client')).toHaveLength(2);
  expect(rig.outcomes).toEqual(['delivered', 'delivered']);
  expect(rig.journal.filter(({ kind }) => kind === 'fault')[1]).toMatchObject({
    changes: [{ path: '/structuredContent/order', clean: 'of 1', dirty: 'of b' }],
  });
});

test('lets the first answer go untouched when no second comes in time', () => {
  const rig = createTestRig(crossWire, { params: { maxWaitMs: 100 } });
  twoCalls(rig);
  rig.answer(answerOf(1, 'of 1'));
  rig.clock.advance(100);
  expect(rig.ends.messages('to-client')).toEqual([answerOf(1, 'of 1')]);
  rig.answer(answerOf('b', 'of b'));
  expect(rig.ends.messages('to-client')).toEqual([answerOf(1, 'of 1'), answerOf('b', 'of b')]);
});

test('does not hold back a call that is alone', () => {
  const rig = createTestRig(crossWire);
  rig.request(exampleCall());
  rig.answer(answerOf(1, 'of 1'));
  expect(rig.ends.messages('to-client')).toEqual([answerOf(1, 'of 1')]);
  expect(rig.outcomes).toEqual(['not-delivered: no other call was in flight']);
});

test('never swaps between two sessions, even of one label', () => {
  const rig = createTestRig(crossWire);
  const other = startSession({ label: rig.session.label, era: 'legacy' });
  rig.request(exampleCall({ id: 1 }));
  rig.request(exampleCall({ id: 1 }), { session: other });
  rig.answer(answerOf(1, 'mine'));
  rig.answer(answerOf(1, 'theirs'), { session: other });
  expect(rig.ends.messages('to-client')).toEqual([answerOf(1, 'mine'), answerOf(1, 'theirs')]);
});

test('does not wait for a call that was cancelled', () => {
  const rig = createTestRig(crossWire);
  twoCalls(rig);
  rig.cancel('b');
  rig.answer(answerOf(1, 'of 1'));
  expect(rig.ends.messages('to-client')).toEqual([answerOf(1, 'of 1')]);
});
