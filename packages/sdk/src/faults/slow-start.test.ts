import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleGreeting, exampleWelcome, faultContract } from '../testing/index.js';
import { slowStart } from './slow-start.js';

faultContract(slowStart, { example: { delayMs: 50 } });

test.each(['legacy', 'modern'] as const)('answers the first request late, and a second one at once (%s)', (era) => {
  const rig = createTestRig(slowStart, { params: { delayMs: 50 }, era });
  for (const id of [1, 2]) {
    rig.request(exampleGreeting({ id, era }));
    rig.answer(exampleAnswer(exampleWelcome(era), { id, era }));
  }
  rig.clock.advance(100);
  expect(rig.ends.log.filter(({ to }) => to === 'to-client').map(({ part, atMs }) => [part, atMs])).toEqual([
    [2, 0],
    [1, 50],
  ]);
  expect(rig.outcomes).toEqual(['not-delivered: the server is up', 'delivered'].toSorted());
});
