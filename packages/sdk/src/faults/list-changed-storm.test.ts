import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { listChangedStorm } from './list-changed-storm.js';

faultContract(listChangedStorm, { example: { everyMs: 10, count: 5 } });

test('sends as many notices as asked for, beside a call that goes on', () => {
  const rig = createTestRig(listChangedStorm, { params: { everyMs: 10, count: 3 } });
  rig.request(exampleCall());
  rig.clock.advance(15);
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(1000);
  expect(rig.ends.log.map(({ what, atMs }) => [what, atMs])).toEqual([
    ['message', 0],
    ['emit', 0],
    ['emit', 10],
    ['message', 15],
    ['emit', 20],
  ]);
  expect(rig.ends.log[1]?.message).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
});

test('says nothing in the modern era, where a notice needs a subscription', () => {
  const rig = createTestRig(listChangedStorm, { era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.ends.log).toHaveLength(1);
  expect(rig.outcomes).toEqual(['not-delivered: modern notices need a subscription']);
});
