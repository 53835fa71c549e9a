import { expect, test } from 'vitest';
import { createTestRig, exampleCall, exampleGreeting, faultContract } from '../testing/index.js';
import { serverRestart } from './server-restart.js';

faultContract(serverRestart, { example: { downMs: 100 } });

test('goes down, comes up without the session, and takes a client that initialises anew', () => {
  const rig = createTestRig(serverRestart, { params: { downMs: 100 }, at: { first: 1 }, transport: 'http' });
  rig.request(exampleCall({ id: 1 }));
  rig.clock.advance(50);
  // Over a connection that was open before.
  rig.request(exampleCall({ id: 2 }));
  rig.clock.advance(50);
  rig.request(exampleCall({ id: 3 }));
  rig.request(exampleCall({ id: 4, tool: 'other' }));
  rig.request(exampleGreeting({ id: 5 }));
  rig.request(exampleCall({ id: 6 }));
  expect(rig.ends.log.map(({ what, part, how, http, forMs }) => [what, part, how ?? http?.status, forMs])).toEqual([
    ['disconnect', 1, 'refuse', 100],
    ['disconnect', 2, 'reset', 0],
    ['reply', 3, 404, undefined],
    ['reply', 4, 404, undefined],
    ['message', 5, undefined, undefined],
    ['message', 6, undefined, undefined],
  ]);
});

test('a modern server has no session to forget: it is down, and up again', () => {
  const rig = createTestRig(serverRestart, { params: { downMs: 100 }, at: { first: 1 }, era: 'modern', transport: 'http' });
  rig.request(exampleCall({ id: 1, era: 'modern' }));
  rig.clock.advance(100);
  for (const id of [2, 3]) rig.request(exampleCall({ id, era: 'modern' }));
  expect(rig.ends.log.map(({ what, part }) => [what, part])).toEqual([
    ['disconnect', 1],
    ['message', 2],
    ['message', 3],
  ]);
  expect(rig.outcomes).toEqual(['delivered', 'not-delivered: the server is up again']);
});
