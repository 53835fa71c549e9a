import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { lostAck } from './lost-ack.js';

faultContract(lostAck, { example: { mode: 'reset' } });

test('lets the server do the work and never delivers the answer', () => {
  const rig = createTestRig(lostAck);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(3_600_000);
  expect(rig.ends.messages('to-server')).toEqual([exampleCall()]);
  expect(rig.ends.messages('to-client')).toEqual([]);
});

test('breaks the connection in the place of the answer with mode reset', () => {
  const rig = createTestRig(lostAck, { params: { mode: 'reset' } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log.map(({ what, how }) => how ?? what)).toEqual(['message', 'reset']);
});
