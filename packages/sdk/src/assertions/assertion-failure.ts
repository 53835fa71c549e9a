/** What a failed assertion throws: test runners know it by its name and code, and show the two values side by side. */

/** See the module comment. */
export type AssertionFailure = Error & {
  readonly code: 'ERR_ASSERTION';
  readonly actual: unknown;
  readonly expected: unknown;
  readonly operator: string;
};

/** Makes the error. */
export function assertionFailure(message: string, about: { actual: unknown; expected: unknown; operator: string }): AssertionFailure {
  const error = Object.assign(new Error(message), { code: 'ERR_ASSERTION' as const, generatedMessage: false, ...about });
  error.name = 'AssertionError';
  return error;
}
