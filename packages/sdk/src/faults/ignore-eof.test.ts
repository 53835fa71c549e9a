import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { ignoreEof } from './ignore-eof.js';

faultContract(ignoreEof, { example: { forMs: 1000 } });
faultContract(ignoreEof, { example: { forMs: 1000, andSigterm: true } });

test.each([
  [false, 'ignore-eof'],
  [true, 'ignore-eof-and-sigterm'],
] as const)('leaves the call alone and makes the server stay (SIGTERM too: %s)', (andSigterm, what) => {
  const rig = createTestRig(ignoreEof, { params: { forMs: 1000, andSigterm } });
  rig.request(exampleCall());
  expect(rig.ends.log.map((one) => [one.what, one.forMs])).toEqual([
    [what, 1000],
    ['message', undefined],
  ]);
});
