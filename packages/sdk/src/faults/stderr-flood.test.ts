import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { stderrFlood } from './stderr-flood.js';

faultContract(stderrFlood, { example: { bytes: 100_000 } });

test('floods before the request reaches the server, which is left as it is', () => {
  const rig = createTestRig(stderrFlood, { params: { bytes: 100_000 } });
  rig.request(exampleCall());
  expect(rig.ends.log).toMatchObject([{ what: 'flood-stderr', amount: 100_000 }, { what: 'message' }]);
});
