import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { connectionRefused } from './connection-refused.js';

faultContract(connectionRefused, { example: { forMs: 1000 } });

test('turns connections away for the time given, and leaves calls alone', () => {
  const rig = createTestRig(connectionRefused, { params: { forMs: 1000 } });
  rig.connect();
  rig.request(exampleCall());
  expect(rig.ends.log.map(({ what, how, forMs }) => [what, how, forMs])).toEqual([
    ['disconnect', 'refuse', 1000],
    ['message', undefined, undefined],
  ]);
});
