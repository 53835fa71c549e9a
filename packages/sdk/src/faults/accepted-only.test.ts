import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { acceptedOnly } from './accepted-only.js';

faultContract(acceptedOnly, { example: {} });

test.each([
  ['pre', 0],
  ['post', 1],
] as const)('accepts and says no more (%s)', (phase, executions) => {
  const rig = createTestRig(acceptedOnly, { transport: 'http', phase });
  rig.request(exampleCall());
  if (executions > 0) rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.messages('to-server')).toHaveLength(executions);
  expect(rig.ends.log.filter(({ to }) => to === 'to-client')).toMatchObject([
    { what: 'reply', message: undefined, http: { status: 202, body: '' } },
  ]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: 'no-answer', faults: ['rule'] }]);
});

test('leaves notifications alone, which are accepted anyway', () => {
  const rig = createTestRig(acceptedOnly, { transport: 'http', when: { method: ['notifications/roots/list_changed'] } });
  rig.request({ jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  expect(rig.ends.messages('to-server')).toHaveLength(1);
});
