import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { rateLimit } from './rate-limit.js';

faultContract(rateLimit, { example: { retryAfterSeconds: 7, scope: 'tool' } });

test('says when to come back, in the header and in words', () => {
  const rig = createTestRig(rateLimit, { params: { retryAfterSeconds: 7 } });
  rig.request(exampleCall({ id: 'q' }));
  expect(rig.ends.log).toMatchObject([
    {
      what: 'reply',
      http: { status: 429, headers: { 'retry-after': '7' } },
      message: { id: 'q', error: { code: -32000, message: 'Rate limit exceeded. Retry after 7 seconds.' } },
    },
  ]);
});

test('names the tool whose limit it is', () => {
  const rig = createTestRig(rateLimit, { params: { scope: 'tool' } });
  rig.request(exampleCall({ tool: 'search' }));
  expect(rig.ends.messages('to-client')).toMatchObject([{ error: { message: 'Rate limit exceeded for search. Retry after 30 seconds.' } }]);
});

test.each([
  ['stdio', 'rpc-error'],
  ['http', 'http-error'],
] as const)('is journalled on %s as what the caller saw: %s', (transport, outcome) => {
  const rig = createTestRig(rateLimit, { transport });
  rig.request(exampleCall());
  expect(rig.journal.filter(({ kind }) => kind === 'call')).toMatchObject([{ outcome }]);
});
