import { expect, test } from 'vitest';
import { createTestRig, exampleCall, faultContract } from '../testing/index.js';
import { httpStatus } from './http-status.js';

faultContract(httpStatus, { example: { status: 502, body: 'html' } });

test.each([
  ['json', 'application/json', '{"error":"Bad Gateway"}'],
  ['html', 'text/html', expect.stringContaining('<title>502 Bad Gateway</title>') as unknown],
  ['empty', undefined, ''],
])('answers with a body of kind %s', (body, type, text) => {
  const rig = createTestRig(httpStatus, { params: { status: 502, body }, transport: 'http' });
  rig.request(exampleCall());
  expect(rig.ends.log).toHaveLength(1);
  expect(rig.ends.log[0]).toMatchObject({ what: 'reply', message: undefined, http: { status: 502, body: text } });
  expect(rig.ends.log[0]?.http?.headers?.['content-type']).toBe(type);
});

test('says what it is told in the place of the usual words', () => {
  const bodyOf = (body: string): string | undefined => {
    const rig = createTestRig(httpStatus, { params: { status: 401, body, message: 'Token <expired>' }, transport: 'http' });
    rig.request(exampleCall());
    return rig.ends.log[0]?.http?.body;
  };
  expect(bodyOf('json')).toBe('{"error":"Token <expired>"}');
  expect(bodyOf('html')).toContain('<h1>401 Token &lt;expired></h1>');
});
