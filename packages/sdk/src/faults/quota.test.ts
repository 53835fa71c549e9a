import { expect, test } from 'vitest';
import { startSession } from '../core/session.js';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { quota } from './quota.js';

faultContract(quota, { example: { calls: 1 } });

test('counts all tools of a session together, and begins anew when the window is over', () => {
  const rig = createTestRig(quota, { params: { calls: 2, windowMs: 5000 } });
  const call = (id: number, tool: string): void => void rig.request(exampleCall({ id, tool }));
  call(1, 'a');
  rig.clock.advance(1500);
  call(2, 'b');
  call(3, 'a');
  rig.clock.advance(3500);
  call(4, 'a');
  expect(rig.ends.log.map(({ what, part }) => [what, part])).toEqual([
    ['message', 1],
    ['message', 2],
    ['reply', 3],
    ['message', 4],
  ]);
  expect(rig.ends.log[2]).toMatchObject({
    message: { id: 3, error: { code: -32000, message: 'Quota of 2 calls exceeded. Retry after 4 seconds.' } },
    http: { status: 429, headers: { 'retry-after': '4' } },
  });
});

test('counts each session by itself', () => {
  const rig = createTestRig(quota, { params: { calls: 1 } });
  rig.request(exampleCall({ id: 1 }));
  rig.request(exampleCall({ id: 1 }), { session: startSession({ label: 'other', era: 'legacy' }) });
  expect(rig.outcomes).toEqual(['not-delivered: within the quota', 'not-delivered: within the quota']);
});
