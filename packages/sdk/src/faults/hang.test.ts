import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { hang } from './hang.js';

faultContract(hang, { example: {} });

const DAY_MS = 86_400_000;

test('keeps the request from the server for ever', () => {
  const rig = createTestRig(hang);
  rig.request(exampleCall());
  rig.clock.advance(DAY_MS);
  expect(rig.ends.log).toEqual([]);
});

test('keeps the answer from the caller for ever in phase post', () => {
  const rig = createTestRig(hang, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(DAY_MS);
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.ends.messages('to-client')).toEqual([]);
});

test('lets go of what it kept when the plan is removed', () => {
  const rig = createTestRig(hang);
  rig.request(exampleCall());
  rig.performer.release();
  expect(rig.ends.messages('to-server')).toEqual([exampleCall()]);
});
