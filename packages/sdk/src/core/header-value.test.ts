import { expect, test } from 'vitest';
import { bearerChallenge, isHeaderText } from './header-value.js';

test('quotes every value and leaves out what is empty', () => {
  expect(bearerChallenge({ error: 'invalid_token', scope: '', error_description: 'The "old" \\ one' })).toBe(
    String.raw`Bearer error="invalid_token", error_description="The \"old\" \\ one"`,
  );
  expect(bearerChallenge({})).toBe('Bearer');
});

test('knows what a header cannot hold', () => {
  expect(['a b', '', '~!'].map(isHeaderText)).toEqual([true, true, true]);
  expect(['a\r\nset-cookie: b', 'ü', '\0'].map(isHeaderText)).toEqual([false, false, false]);
});
