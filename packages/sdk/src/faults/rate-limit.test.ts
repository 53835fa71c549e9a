import { expect, test } from 'vitest';
import { replyHeaders } from '../core/effect.js';
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

test('says when to come back as a date where it is told to', () => {
  const rig = createTestRig(rateLimit, { params: { retryAfterSeconds: 90, retryAfterAs: 'date' } });
  rig.request(exampleCall());
  const http = rig.ends.log[0]?.http ?? { status: 0 };
  expect(replyHeaders(http, Date.UTC(2026, 0, 1))).toEqual({ 'retry-after': 'Thu, 01 Jan 2026 00:01:30 GMT' });
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
