import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleRequest, exampleResult, faultContract } from '../testing/index.js';
import { sessionLost } from './session-lost.js';

faultContract(sessionLost, { example: { status: '404' } });

test('turns every later request away until the client initialises anew', () => {
  const rig = createTestRig(sessionLost, { at: { nth: [2] }, when: { tool: ['a'] }, transport: 'http' });
  rig.request(exampleCall({ id: 1, tool: 'a' }));
  rig.answer(exampleAnswer(exampleResult(), { id: 1 }));
  rig.request(exampleCall({ id: 2, tool: 'a' }));
  rig.request(exampleCall({ id: 3, tool: 'b' }));
  rig.request(exampleRequest('tools/list', {}, { id: 4 }));
  rig.request({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  rig.request(exampleRequest('initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'c', version: '1' } }, { id: 5 }));
  rig.request(exampleCall({ id: 6, tool: 'a' }));
  expect(rig.ends.log.map(({ what, part, http, to }) => [what, part, http?.status ?? to])).toEqual([
    ['message', 1, 'to-server'],
    ['message', 1, 'to-client'],
    ['reply', 2, 404],
    ['reply', 3, 404],
    ['reply', 4, 404],
    ['reply', undefined, 404],
    ['message', 5, 'to-server'],
    ['message', 6, 'to-server'],
  ]);
});

test('draws no differently while it lasts', () => {
  const fired = (initialisesAfter: number): readonly number[] => {
    const rig = createTestRig(sessionLost, { probability: 0.3, transport: 'http' });
    for (let id = 1; id <= 40; id++) {
      if (id === initialisesAfter) rig.request(exampleRequest('initialize', {}, { id: 1000 }));
      rig.request(exampleCall({ id }));
    }
    return rig.ends.log.flatMap(({ what, part }) => (what === 'message' && typeof part === 'number' && part < 1000 ? [part] : []));
  };
  const whole = fired(41);
  const again = fired(20);
  expect(again.filter((id) => id < 20)).toEqual(whole);
  expect(again.length).toBeGreaterThan(whole.length);
});

test.each([
  ['404', 'Session not found'],
  ['400', 'Bad Request: No valid session ID provided'],
  ['503', 'Service unavailable'],
])('answers %s the way servers do', (status, message) => {
  const rig = createTestRig(sessionLost, { params: { status }, transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.log[0]).toMatchObject({ http: { status: Number(status) }, message: { id: null, error: { message } } });
});

test('can say so in the body of a success', () => {
  const rig = createTestRig(sessionLost, { params: { status: '200' }, transport: 'http' });
  for (const id of [1, 2]) rig.request(exampleCall({ id }));
  expect(rig.ends.log).toMatchObject([1, 2].map((id) => ({ http: undefined, message: { id, error: { message: 'Session not found' } } })));
});

test('has nothing to lose in the modern era', () => {
  const rig = createTestRig(sessionLost, { era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.outcomes).toEqual(['not-delivered: the modern era has no sessions']);
  expect(rig.ends.messages('to-server')).toHaveLength(1);
});
