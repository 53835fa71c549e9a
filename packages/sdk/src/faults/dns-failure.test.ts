import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { dnsFailure } from './dns-failure.js';

faultContract(dnsFailure, { example: { code: 'EAI_AGAIN', forMs: 1000 } });

test.each(['ENOTFOUND', 'EAI_AGAIN'])('fails connections with %s for the time given, and leaves calls alone', (code) => {
  const rig = createTestRig(dnsFailure, { params: { code, forMs: 1000 } });
  rig.connect();
  rig.request(exampleCall());
  expect(rig.ends.log.map(({ what, how, forMs }) => [what, how, forMs])).toEqual([
    ['disconnect', code, 1000],
    ['message', undefined, undefined],
  ]);
});
