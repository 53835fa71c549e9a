import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { errorAsSuccess } from './error-as-success.js';

faultContract(errorAsSuccess, { example: { as: 'json' } });

test.each(['legacy', 'modern'] as const)('says that it failed, and nothing but the words does (%s)', (era) => {
  const rig = createTestRig(errorAsSuccess, { params: { text: 'Error: no space left' }, era });
  rig.request(exampleCall({ era }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: [{ type: 'text', text: 'Error: no space left' }] }, { era })]);
  expect(rig.ends.messages('to-server')).toEqual([]);
});

test.each([
  [exampleAnswer({ content: [{ type: 'text', text: 'Disk full' }], isError: true })],
  [{ jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Disk full' } }],
])('keeps the words of a real failure: %j', (failure) => {
  const rig = createTestRig(errorAsSuccess, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(failure);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: [{ type: 'text', text: 'Disk full' }] })]);
});

test('takes the place of a result after the work was done, and says what it hid', () => {
  const rig = createTestRig(errorAsSuccess, { phase: 'post', params: { as: 'json', text: 'no' } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ total: 5 })));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleResult({ error: 'no' }))]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: '/structuredContent/total', clean: 5 },
      { path: '/structuredContent/error', dirty: 'no' },
    ],
  });
});
