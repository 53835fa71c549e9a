import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { toolError } from './tool-error.js';

faultContract(toolError, { example: { text: 'Disk full' } });

test.each(['legacy', 'modern'] as const)('reports a failure of the tool, not of the protocol (%s)', (era) => {
  const rig = createTestRig(toolError, { params: { text: 'Disk full' }, era });
  rig.request(exampleCall({ era }));
  expect(rig.ends.messages('to-client')).toEqual([
    exampleAnswer({ content: [{ type: 'text', text: 'Disk full' }], isError: true }, { era }),
  ]);
});

test('says so after the work was done in phase post', () => {
  const rig = createTestRig(toolError, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.ends.messages('to-client')).toMatchObject([{ id: 1, result: { isError: true } }]);
});
