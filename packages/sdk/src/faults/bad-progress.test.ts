import { expect, test } from 'vitest';
import { createTestRig, exampleCall, exampleProgress, faultContract, type TestRig } from '../testing/index.js';
import { badProgress } from './bad-progress.js';

faultContract(badProgress, { example: { how: 'backwards' } });
faultContract(badProgress, { example: { how: 'stall' } });
faultContract(badProgress, { example: { how: 'flood', count: 3 } });

function progressWith(params: { how: string; count?: number; everyMs?: number }): TestRig {
  const rig = createTestRig(badProgress, { params });
  rig.request(exampleCall());
  for (const progress of [1, 2, 3]) rig.request(exampleProgress(1, progress), { direction: 'to-client' });
  return rig;
}

const told = (rig: TestRig): readonly unknown[] =>
  rig.ends.messages('to-client').map((message) => {
    const { progressToken, progress } = (message as { params: Record<string, unknown> }).params;
    return [progressToken, progress];
  });

test.each([
  [
    'stall',
    [
      [1, 1],
      [1, 1],
      [1, 1],
    ],
  ],
  [
    'backwards',
    [
      [1, 3],
      [1, 2],
      [1, 1],
    ],
  ],
  [
    'wrong-token',
    [
      [1_000_001, 1],
      [1_000_001, 2],
      [1_000_001, 3],
    ],
  ],
])('%s', (how, expected) => {
  expect(told(progressWith({ how }))).toEqual(expected);
});

test('floods with copies of each notice', () => {
  const rig = progressWith({ how: 'flood', count: 2, everyMs: 10 });
  rig.clock.advance(1000);
  expect(told(rig)).toHaveLength(9);
  expect(rig.ends.log.filter(({ what }) => what === 'emit').map(({ atMs }) => atMs)).toEqual([0, 0, 0, 10, 10, 10]);
});

test('stands still for each request by itself', () => {
  const rig = createTestRig(badProgress, { params: { how: 'stall' } });
  for (const [token, progress] of [
    ['a', 1],
    ['b', 5],
    ['a', 2],
    ['b', 6],
  ] as const)
    rig.request(exampleProgress(token, progress), { direction: 'to-client' });
  expect(told(rig)).toEqual([
    ['a', 1],
    ['b', 5],
    ['a', 1],
    ['b', 5],
  ]);
});

test('progress that says nothing is left alone', () => {
  const rig = createTestRig(badProgress);
  rig.request({ jsonrpc: '2.0', method: 'notifications/progress' }, { direction: 'to-client' });
  expect(rig.outcomes).toEqual(['not-delivered: it reports no progress']);
});

test.each(['backwards', 'stall'])('%s is not delivered where it would say the same', (how) => {
  const rig = createTestRig(badProgress, { params: { how } });
  for (const progress of [2, 2]) rig.request(exampleProgress(1, progress), { direction: 'to-client' });
  expect(rig.outcomes.at(-1)).toBe('not-delivered: it says the same as it would');
});
