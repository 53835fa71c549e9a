import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { successAsError } from './success-as-error.js';

faultContract(successAsError, { example: {} });

test('changes the flag and nothing else, after the work was done', () => {
  const rig = createTestRig(successAsError);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ receipt: 7 })));
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ ...exampleResult({ receipt: 7 }), isError: true })]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({ changes: [{ path: '/isError', dirty: true }] });
});

test('leaves the structured content out when asked to', () => {
  const rig = createTestRig(successAsError, { params: { keepsStructured: false } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ receipt: 7 })));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: exampleResult({ receipt: 7 })['content'], isError: true })]);
});

test('has nothing to say about a real failure', () => {
  const rig = createTestRig(successAsError);
  rig.request(exampleCall());
  rig.answer(exampleAnswer({ content: [], isError: true }));
  expect(rig.outcomes).toEqual(['not-delivered: the tool reported an error']);
});
