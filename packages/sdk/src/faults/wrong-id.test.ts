import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { wrongId } from './wrong-id.js';

faultContract(wrongId, { example: { how: 'other' }, claimsValid: false });

test.each([
  ['type', 1, '1'],
  ['type', '7', 7],
  ['null', 1, null],
  ['other', 1, 1_000_001],
  ['other', 'x', 'x-1'],
  ['other', 1e300, 2_000_000],
])('%s turns %j into %j', (how, id, expected) => {
  const rig = createTestRig(wrongId, { params: { how } });
  rig.request(exampleCall({ id }));
  rig.answer(exampleAnswer(exampleResult(), { id }));
  expect(rig.ends.messages('to-client')).toEqual([{ ...exampleAnswer(exampleResult()), id: expected }]);
});

test('never answers somebody else who waits', () => {
  const rig = createTestRig(wrongId);
  for (const id of [1, 1_000_001]) rig.request(exampleCall({ id }));
  rig.answer(exampleAnswer(exampleResult(), { id: 1 }));
  expect(rig.ends.messages('to-client')).toMatchObject([{ id: 1_000_002 }]);
});

test('leaves the caller waiting until it gives up', () => {
  const rig = createTestRig(wrongId);
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toEqual([]);
  rig.cancel(1);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'cancelled', faults: ['rule'] }]);
  expect(rig.session.waiting['to-server'].size).toBe(0);
});

test('a text that is no number has no other type', () => {
  const rig = createTestRig(wrongId, { params: { how: 'type' } });
  rig.request(exampleCall({ id: 'two' }));
  rig.answer(exampleAnswer(exampleResult(), { id: 'two' }));
  expect(rig.outcomes).toEqual(['not-delivered: the id is a text that is no number']);
});
