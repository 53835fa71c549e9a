import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { heartbeatOnly } from './heartbeat-only.js';

faultContract(heartbeatOnly, { example: { everyMs: 1000, count: 5 } });

test('sends heartbeats in the place of the answer, then falls silent', () => {
  const rig = createTestRig(heartbeatOnly, { params: { everyMs: 1000, count: 3 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  rig.clock.advance(60_000);
  expect(rig.ends.log.slice(1).map(({ what, atMs, part }) => [what, atMs, part])).toEqual([
    ['heartbeat', 0, 1],
    ['heartbeat', 1000, 1],
    ['heartbeat', 2000, 1],
  ]);
});
