import { expect, test } from 'vitest';
import { createTestRig, exampleCall, exampleRequest, faultContract } from '../testing/index.js';
import { tokenExpire } from './token-expire.js';

faultContract(tokenExpire, { example: { forMs: 1000 } });

test('turns every request of the session away until its time is over', () => {
  const rig = createTestRig(tokenExpire, { params: { forMs: 1000 }, at: { first: 1 }, when: { tool: ['a'] }, transport: 'http' });
  rig.request(exampleCall({ id: 1, tool: 'b' }));
  rig.request(exampleCall({ id: 2, tool: 'a' }));
  rig.request({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  rig.clock.advance(999);
  rig.request(exampleRequest('tools/list', {}, { id: 3 }));
  rig.clock.advance(1);
  rig.request(exampleCall({ id: 4, tool: 'a' }));
  expect(rig.ends.log.map(({ part, http }) => [part, http?.status])).toEqual([
    [1, undefined],
    [2, 401],
    [undefined, 401],
    [3, 401],
    [4, undefined],
  ]);
});

test('says that the token is what is wrong', () => {
  const rig = createTestRig(tokenExpire, { transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.log[0]?.http?.headers?.['www-authenticate']).toBe(
    'Bearer error="invalid_token", error_description="The access token expired"',
  );
});

test('is over when the client initialises anew', () => {
  const rig = createTestRig(tokenExpire, { at: { first: 1 }, transport: 'http' });
  rig.request(exampleCall({ id: 1 }));
  rig.request(exampleRequest('initialize', {}, { id: 2 }));
  rig.request(exampleCall({ id: 3 }));
  expect(rig.ends.log.map(({ what, part }) => [what, part])).toEqual([
    ['reply', 1],
    ['message', 2],
    ['message', 3],
  ]);
});
