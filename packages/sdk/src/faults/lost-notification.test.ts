import { expect, test } from 'vitest';
import { checkPlan } from '../core/check-plan.js';
import { createCatalogue } from '../core/fault.js';
import {
  createTestRig,
  exampleAnswer,
  exampleCall,
  exampleProgress,
  exampleRequest,
  exampleResult,
  faultContract,
} from '../testing/index.js';
import { lostNotification } from './lost-notification.js';

faultContract(lostNotification, { example: {} });

test('loses progress on its way to the client, and nothing else', () => {
  const rig = createTestRig(lostNotification);
  rig.request(exampleCall());
  rig.request(exampleProgress(1, 1), { direction: 'to-client' });
  rig.request({ jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' }, { direction: 'to-client' });
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.messages('to-client')).toEqual([
    { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged' },
    exampleAnswer(exampleResult()),
  ]);
});

test('tells a client that its notification was taken, and the server nothing', () => {
  const rig = createTestRig(lostNotification, { when: { method: ['notifications/initialized'] }, transport: 'http' });
  rig.request({ jsonrpc: '2.0', method: 'notifications/initialized' });
  expect(rig.ends.log).toMatchObject([{ what: 'reply', message: undefined, http: { status: 202 } }]);
});

test('a cancellation that is lost ends the call for the client and not for the server', () => {
  const rig = createTestRig(lostNotification, { when: { method: ['notifications/cancelled'] } });
  rig.request(exampleCall());
  rig.cancel(1);
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.session.waiting['to-server'].size).toBe(0);
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.messages('to-client').at(-1)).toEqual(exampleAnswer(exampleResult()));
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'cancelled' }]);
});

test('keeps nothing of what is lost: a release sends none of it', () => {
  const rig = createTestRig(lostNotification);
  for (let progress = 0; progress < 3; progress++) rig.request(exampleProgress(1, progress), { direction: 'to-client' });
  rig.performer.release();
  expect(rig.ends.log).toEqual([]);
  expect(rig.outcomes).toEqual(['delivered', 'delivered', 'delivered']);
});

test('leaves requests alone, because somebody waits for their answers', () => {
  const rig = createTestRig(lostNotification, { when: { method: ['ping'] } });
  rig.request(exampleRequest('ping'));
  expect(rig.ends.messages('to-server')).toHaveLength(1);
  expect(rig.outcomes).toEqual(['not-delivered: it is a request, and somebody waits for its answer']);
});

test('needs no direction in a plan', () => {
  const rule = (when: object): object => ({ id: 'rule', fault: 'lost-notification', when });
  const rules = [rule({ method: 'notifications/initialized' }), { ...rule({ method: 'notifications/message' }), id: 'other' }];
  expect(checkPlan({ version: 1, rules }, createCatalogue([lostNotification])).problems).toEqual([]);
});
