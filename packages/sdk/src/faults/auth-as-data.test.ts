import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { authAsData } from './auth-as-data.js';

faultContract(authAsData, { example: { text: 'Token expired' } });

const says = (text: string, more = {}): Record<string, unknown> => ({ content: [{ type: 'text', text }], ...more });

test.each([
  [false, says('Sign in')],
  [true, says('Sign in', { isError: true })],
])('answers with a result (isError: %s), and the server never hears of the call', (isError, result) => {
  const rig = createTestRig(authAsData, { params: { isError, text: 'Sign in' } });
  rig.request(exampleCall());
  expect(rig.ends.messages('to-server')).toEqual([]);
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(result)]);
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome: isError ? 'tool-error' : 'ok' }]);
});

test('takes the place of the true result in phase post, and the journal knows both', () => {
  const rig = createTestRig(authAsData, { phase: 'post', params: { text: 'Sign in' } });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(says('paid', { structuredContent: { receipt: 1 } })));
  expect(rig.ends.messages('to-client')).toEqual([exampleAnswer(says('Sign in'))]);
  expect(rig.journal.find(({ kind }) => kind === 'fault')).toMatchObject({
    changes: [
      { path: '/structuredContent', clean: 'object of 1' },
      { path: '/content/0/text', clean: 'paid', dirty: 'Sign in' },
    ],
  });
});

test('leaves a call alone that failed already', () => {
  const rig = createTestRig(authAsData, { phase: 'post' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer({ ...exampleResult(), isError: true }));
  expect(rig.outcomes).toEqual(['not-delivered: the tool reported an error']);
});
