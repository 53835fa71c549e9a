import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { doubleExecute } from './double-execute.js';

faultContract(doubleExecute, { example: {} });

test('keeps both copies byte-identical', () => {
  const raw = new TextEncoder().encode(JSON.stringify(exampleCall(), null, 3));
  const rig = createTestRig(doubleExecute);
  rig.request(raw);
  expect(rig.ends.log.map(({ to, bytes }) => [to, bytes])).toEqual([
    ['to-server', raw],
    ['to-server', raw],
  ]);
});

test('gives the caller the first answer and keeps the second', () => {
  const rig = createTestRig(doubleExecute);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult({ order: 'first' })));
  rig.answer(exampleAnswer(exampleResult({ order: 'second' })));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(exampleResult({ order: 'first' }))]);
});
