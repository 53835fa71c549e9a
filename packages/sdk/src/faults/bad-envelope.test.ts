import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { badEnvelope } from './bad-envelope.js';

faultContract(badEnvelope, { example: { how: 'both' }, claimsValid: false });

const result = exampleResult();
const error = { code: -32603, message: 'Internal error' };

test.each([
  ['no-version', { id: 1, result }],
  ['both', { jsonrpc: '2.0', id: 1, result, error }],
  ['neither', { jsonrpc: '2.0', id: 1 }],
  ['extra-key', { jsonrpc: '2.0', id: 1, result, took: 12 }],
  ['batch', [{ jsonrpc: '2.0', id: 1, result }]],
])('keeps what is right about the answer (%s)', (how, expected) => {
  const rig = createTestRig(badEnvelope, { params: { how } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(result));
  expect(rig.ends.messages('to-client')).toEqual([expected]);
  expect(rig.outcomes).toEqual(['delivered']);
});

test('gives an error a result besides', () => {
  const rig = createTestRig(badEnvelope, { params: { how: 'both' } });
  rig.request(exampleCall());
  rig.answer({ jsonrpc: '2.0', id: 1, error });
  expect(rig.ends.messages('to-client')).toEqual([{ jsonrpc: '2.0', id: 1, error, result: {} }]);
});
