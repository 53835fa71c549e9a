import { expect, test } from 'vitest';
import { createTestRig, exampleAnswer, exampleCall, exampleResult, faultContract } from '../testing/index.js';
import { wrongContentType } from './wrong-content-type.js';

faultContract(wrongContentType, { example: { contentType: 'text/html' } });

test('keeps the body and changes its name', () => {
  const rig = createTestRig(wrongContentType, { transport: 'http' });
  rig.request(exampleCall());
  rig.answer(exampleAnswer(exampleResult()));
  expect(rig.ends.log[1]).toMatchObject({ what: 'reply', http: { status: 200, headers: { 'content-type': 'text/plain' } } });
  expect(JSON.parse(rig.ends.log[1]?.http?.body ?? '')).toEqual(exampleAnswer(exampleResult()));
});

test.each([
  ['application/json; charset=utf-8', 'its contentType is one that clients read'],
  ['text/event-stream', 'its contentType is one that clients read'],
  ['text/plain\r\nx: y', 'its contentType cannot stand in a header'],
])('refuses %j', (contentType, why) => {
  expect(wrongContentType.whyPointless?.({ contentType } as unknown as Readonly<Record<string, never>>)).toBe(why);
});
