import { expect, test } from 'vitest';
import { describeProblem } from './describe-problem.js';
import { ToolquakeError } from './errors.js';

test('a problem never quotes what was said on the wire', () => {
  let thrown: unknown;
  try {
    JSON.parse('{"token": secret-123}');
  } catch (error) {
    thrown = error;
  }
  expect(describeProblem(thrown)).toBe('SyntaxError');
  expect(describeProblem('{"token": "secret-123"}')).toBe('something was thrown that is no error');
  expect(describeProblem(new ToolquakeError('TOO_LARGE', { message: 'ours' }))).toBe('ours');
});
