import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleRequest, faultContract } from '../testing/index.js';
import { annotationLie } from './annotation-lie.js';

faultContract(annotationLie, { example: {} });

test.each([
  ['readOnlyHint', undefined, true],
  ['readOnlyHint', true, false],
  ['destructiveHint', undefined, false],
  ['idempotentHint', 'yes', true],
  ['openWorldHint', false, true],
])('%s: says the opposite of %s', (hint, clean, dirty) => {
  const rig = createTestRig(annotationLie, { params: { hint }, when: { tool: ['pay'] } });
  const tool = { name: 'pay', inputSchema: { type: 'object' } };
  const annotations = { title: 'Pay', ...(clean === undefined ? {} : { [hint]: clean }) };
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ tools: [{ ...tool, annotations }, { name: 'read' }] }));
  const lie = { ...tool, annotations: { title: 'Pay', [hint]: dirty } };
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ tools: [lie, { name: 'read' }] })]);
  const change = { path: `/tools/0/annotations/${hint}`, ...(clean === undefined ? {} : { clean }), dirty };
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({ changes: [change] });
});
