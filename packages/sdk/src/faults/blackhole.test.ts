import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract } from '../testing/index.js';
import { blackhole } from './blackhole.js';

faultContract(blackhole, { example: { forMs: 1000 } });

test('swallows every request of the session until its time is over', () => {
  const rig = createTestRig(blackhole, { params: { forMs: 1000 }, at: { first: 1 }, when: { tool: ['a'] } });
  rig.request(exampleCall({ id: 1, tool: 'b' }));
  rig.request(exampleCall({ id: 2, tool: 'a' }));
  rig.request(exampleRequest('tools/list', {}, { id: 3 }));
  rig.clock.advance(999);
  rig.request(exampleCall({ id: 4, tool: 'b' }));
  rig.clock.advance(1);
  rig.request(exampleCall({ id: 5, tool: 'b' }));
  expect(rig.ends.log.map(({ part }) => part)).toEqual([1, 5]);
});

test('lets the server do the work and swallows the answers in phase post', () => {
  const rig = createTestRig(blackhole, { params: { forMs: 1000 }, at: { first: 1 }, phase: 'post' });
  for (const id of [1, 2]) {
    rig.request(exampleCall({ id }));
    rig.answer(exampleAnswer(exampleResult(), { id }));
  }
  rig.clock.advance(1000);
  rig.request(exampleCall({ id: 3 }));
  rig.answer(exampleAnswer(exampleResult(), { id: 3 }));
  expect(rig.ends.messages('to-server')).toHaveLength(3);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleResult(), { id: 3 })]);
});

test('can begin anew when it is over', () => {
  const rig = createTestRig(blackhole, { params: { forMs: 10 }, at: { nth: [1, 3] } });
  for (const id of [1, 2, 3]) {
    rig.request(exampleCall({ id }));
    rig.clock.advance(10);
  }
  expect(rig.ends.log.map(({ part }) => part)).toEqual([2]);
});
