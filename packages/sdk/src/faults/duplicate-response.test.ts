import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract, type TestRig } from '../testing/index.js';
import { duplicateResponse } from './duplicate-response.js';

faultContract(duplicateResponse, { example: { copies: 3, differ: true } });

function answerWith(params: object): TestRig {
  const rig = createTestRig(duplicateResponse, { params: { ...params } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  return rig;
}

const clean = exampleAnswer(exampleResult());
const failure = { jsonrpc: '2.0', id: 1, error: { code: -32603, message: 'Internal error' } };

test('says the same as often as asked for', () => {
  expect(answerWith({ copies: 3 }).ends.messages('to-client')).toEqual([clean, clean, clean]);
});

test('contradicts itself only after the true answer, which is the one that counts', () => {
  const rig = answerWith({ copies: 3, differ: true });
  expect(rig.ends.messages('to-client')).toEqual([clean, failure, failure]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'ok', faults: ['rule'] }]);
});

test('does not multiply what a server says twice by itself', () => {
  const rig = answerWith({});
  rig.answer(clean);
  expect(rig.ends.messages('to-client')).toHaveLength(3);
});

test('is not delivered where the client takes one answer only', () => {
  const refuse = (what: string): string | undefined => (what === 'emit' ? 'the client does not accept event streams' : undefined);
  const rig = createTestRig(duplicateResponse, { refuse });
  rig.request(exampleCall());
  rig.answer(clean);
  expect(rig.ends.messages('to-client')).toEqual([clean]);
  expect(rig.outcomes).toEqual(['not-delivered: the client does not accept event streams']);
});
