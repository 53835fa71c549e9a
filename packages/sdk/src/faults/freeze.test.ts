import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { freeze } from './freeze.js';

faultContract(freeze, { example: { forMs: 1000 } });

test('stops the server before the request reaches it, once per call', () => {
  const rig = createTestRig(freeze, { params: { forMs: 1000 } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log.map(({ what, forMs }) => [what, forMs])).toEqual([
    ['freeze', 1000],
    ['message', undefined],
    ['message', undefined],
  ]);
});

test('admits it where the server cannot be stopped', () => {
  const rig = createTestRig(freeze, { refuse: (what) => (what === 'freeze' ? 'it is no child of ours' : undefined) });
  rig.request(exampleCall());
  expect(rig.outcomes).toEqual(['not-delivered: it is no child of ours']);
});
