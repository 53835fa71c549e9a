import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { lateAfterCancel } from './late-after-cancel.js';

faultContract(lateAfterCancel, { example: { afterMs: 20 } });

test('answers after the cancellation, and not before', () => {
  const rig = createTestRig(lateAfterCancel, { params: { afterMs: 20 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(5000);
  expect(rig.ends.messages('to-client')).toEqual([]);
  rig.cancel(1);
  rig.clock.advance(19);
  expect(rig.ends.messages('to-client')).toEqual([]);
  rig.clock.advance(1);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleResult())]);
});

test.each(['legacy', 'modern'] as const)('makes up one valid answer when the cancellation comes first (%s)', (era) => {
  const rig = createTestRig(lateAfterCancel, { params: { afterMs: 20 }, era });
  rig.request(exampleCall({ era }));
  rig.cancel(1);
  rig.answer(exampleAnswer(exampleResult(), { era }));
  rig.clock.advance(20);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: [] }, { era })]);
});

test('relays the cancellation itself', () => {
  const rig = createTestRig(lateAfterCancel);
  rig.request(exampleCall());
  rig.cancel(1);
  expect(rig.ends.messages('to-server')).toHaveLength(2);
});
