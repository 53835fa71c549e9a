import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract, type TestRig } from '../testing/index.js';
import { ttlLie } from './ttl-lie.js';

faultContract(ttlLie, { example: {} });

const listed = (rig: TestRig, result = exampleTools(undefined, 'modern')): void => {
  rig.request(exampleRequest('tools/list', {}, { era: 'modern' }));
  rig.answer(exampleAnswer(result, { era: 'modern' }));
};

test('says another time, and another scope when it is asked to', () => {
  const rig = createTestRig(ttlLie, { params: { ttlMs: 0, cacheScope: 'public' }, era: 'modern' });
  listed(rig);
  const lie = { ...exampleTools(), ttlMs: 0, cacheScope: 'public' };
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(lie, { era: 'modern' })]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: '/ttlMs', clean: 1000, dirty: 0 },
      { path: '/cacheScope', clean: 'private', dirty: 'public' },
    ],
  });
});

test('is no lie when the server said the same, or nothing', () => {
  const rig = createTestRig(ttlLie, { params: { ttlMs: 1000, cacheScope: 'private' }, era: 'modern' });
  listed(rig);
  listed(rig, exampleTools());
  expect(rig.outcomes).toEqual(['not-delivered: the server said the same', 'not-delivered: the result says nothing about caches']);
});
