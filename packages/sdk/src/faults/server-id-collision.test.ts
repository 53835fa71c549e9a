import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { serverIdCollision } from './server-id-collision.js';

faultContract(serverIdCollision, { example: {} });

test('asks under the id of the call, and neither reply confuses the other', () => {
  const rig = createTestRig(serverIdCollision);
  rig.request(exampleCall({ id: 0 }));
  const reply = { jsonrpc: '2.0', id: 0, result: {} };
  rig.answer(reply, { direction: 'to-server' });
  expect(rig.session.waiting['to-server'].size).toBe(1);
  rig.answer(exampleAnswer(exampleResult(), { id: 0 }));
  expect(rig.ends.messages('to-client')).toEqual([{ jsonrpc: '2.0', id: 0, method: 'ping' }, exampleAnswer(exampleResult(), { id: 0 })]);
  expect(rig.ends.messages('to-server')).toEqual([exampleCall({ id: 0 }), reply]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'ok', faults: ['rule'] }]);
});

test('asks nothing in the modern era, where servers cannot', () => {
  const rig = createTestRig(serverIdCollision, { era: 'modern' });
  rig.request(exampleCall({ era: 'modern' }));
  expect(rig.outcomes).toEqual(['not-delivered: modern servers ask nothing']);
});
