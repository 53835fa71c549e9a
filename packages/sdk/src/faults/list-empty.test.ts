import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleRequest, exampleTools, faultContract } from '../testing/index.js';
import { listEmpty } from './list-empty.js';

faultContract(listEmpty, { example: {} });

test('leaves neither tools nor further pages, and keeps what else the list says', () => {
  const rig = createTestRig(listEmpty);
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ ...exampleTools(), nextCursor: 'p2', _meta: { a: 1 } }));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer({ tools: [], _meta: { a: 1 } })]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: '/tools', clean: 'list of 2', dirty: 'list of 0' },
      { path: '/nextCursor', clean: 'p2' },
    ],
  });
});

test('does not count a list that was empty already', () => {
  const rig = createTestRig(listEmpty);
  rig.request(exampleRequest('tools/list'));
  rig.answer(exampleAnswer({ tools: [] }));
  expect(rig.outcomes).toEqual(['not-delivered: the list is empty already']);
});
