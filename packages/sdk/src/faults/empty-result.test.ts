import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { emptyResult } from './empty-result.js';

faultContract(emptyResult, { example: { what: 'both' } });

test.each([
  ['both', { content: [], structuredContent: {} }],
  ['content', { content: [], structuredContent: { a: 1 } }],
  ['structured', { content: exampleResult({ a: 1 })['content'], structuredContent: {} }],
  ['null', { content: [{ type: 'text', text: 'null' }], structuredContent: null }],
])('empties %s and nothing else', (what, result) => {
  const rig = createTestRig(emptyResult, { params: { what }, era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  rig.answer(exampleAnswer({ ...exampleResult({ a: 1 }), _meta: { trace: 'x' } }, { era: 'modern' }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ ...result, _meta: { trace: 'x' } }, { era: 'modern' })]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toHaveProperty('changes');
});

test.each([
  [[1, 2], []],
  ['words', ''],
])('empties structured content of any kind together with its text: %j', (structuredContent, emptied) => {
  const rig = createTestRig(emptyResult);
  rig.request(exampleCall());
  rig.answer(exampleAnswer({ content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ content: [], structuredContent: emptied })]);
});

test.each([
  [{ content: [{ type: 'text', text: '5' }], structuredContent: 5 }, 'the structured content cannot be emptied'],
  [{ content: [] }, 'the result is empty already'],
  [{ content: [{ type: 'text', text: 'no' }], isError: true }, 'the tool reported an error'],
])('leaves %j alone', (result, why) => {
  const rig = createTestRig(emptyResult);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(result)]);
  expect(rig.outcomes).toEqual([`not-delivered: ${why}`]);
});
