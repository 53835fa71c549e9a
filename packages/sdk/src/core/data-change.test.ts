import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isSecretName, noteChange, pointerStep, REDACTED, writableValue, type DataChange } from './data-change.js';

test('keeps the clean and the dirty value of a change', () => {
  const changes: DataChange[] = [];
  noteChange(changes, '/structuredContent/total', 88.25, 18319.46);
  noteChange(changes, '/structuredContent/note', 'a note', undefined);
  expect(changes).toEqual([
    { path: '/structuredContent/total', clean: 88.25, dirty: 18319.46 },
    { path: '/structuredContent/note', clean: 'a note' },
  ]);
});

const PLAIN_NAMES = ['password', 'api_key', 'X-Api-Key', 'accessToken', 'client_secret', 'Set-Cookie', 'authorization'];
const OTHER_NAMES = [
  'credentials',
  'cookies',
  'apiKeys',
  'secretKey',
  'session_id',
  'jwt',
  'token_value',
  'token_raw',
  'password_value_value',
];

test.each([...PLAIN_NAMES, ...OTHER_NAMES])('writes no value of %s down', (name) => {
  const changes: DataChange[] = [];
  noteChange(changes, `/structuredContent${pointerStep(name)}/0`, 'hunter2', 4711);
  expect(changes).toEqual([{ path: `/structuredContent/${name}/0`, clean: REDACTED, dirty: REDACTED }]);
});

test.each(['Bearer abcdefghijkl', 'eyJhbGciOiJIUzI1NiJ9.e30.abc', 'sk-abcdefghijklmnopqrstuv', '-----BEGIN RSA PRIVATE KEY-----'])(
  'knows a secret by its looks: %s',
  (secret) => expect(writableValue(`before ${secret} after`)).toBe(REDACTED),
);

test.each([
  'api_key=abc123, and so on',
  '{"ok":true,"sessionId": "abc123"}',
  '"access_token\\":\\"abc123',
  'Cookie: sid=abc123',
  'postgres://app:hunter2@db/orders',
  'MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEA',
])('knows a secret by its name in a text, or as it is encoded: %s', (secret) => {
  expect(writableValue(secret)).toBe(REDACTED);
});

test('writes no secret down that is the name of a member', () => {
  const changes: DataChange[] = [];
  noteChange(changes, '/structuredContent/ghp_abcdefghijklmnopqrstuvwx/total', 1, 2);
  expect(changes).toEqual([{ path: `/structuredContent/${REDACTED}/total`, clean: 1, dirty: 2 }]);
});

test('takes no longer for a text that was made to be searched', () => {
  const endless = 'eyJ-'.repeat(1_000_000);
  expect(writableValue(endless)).toBe(`${endless.slice(0, 256)}… (4000000 characters)`);
});

const WORDS = ['88.25', 'the bearer of news', 'skies', 'tokens: 1200', '0b5d1c1e-0d3c-4c55-9a0e-1f2a3b4c5d6e', 'https://a.b/c:d@e'];

test('ordinary names and values are no secrets', () => {
  expect(['total', 'tokens', 'keyboard', 'amount', 'tokenised'].filter(isSecretName)).toEqual([]);
  expect(WORDS.map((text) => writableValue(text))).toEqual(WORDS);
});

test('what it writes is small and can be written as JSON, whatever the values', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.string(), fc.anything(), fc.anything()), { maxLength: 60 }), (all) => {
      const changes: DataChange[] = [];
      for (const [path, clean, dirty] of all) noteChange(changes, path, clean, dirty);
      expect(changes.length).toBeLessThanOrEqual(32);
      expect(JSON.stringify(changes).length).toBeLessThan(32 * 2048);
    }),
  );
});
