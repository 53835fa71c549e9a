/**
 * Every error code of the product, with what it means. One list, so that docs, tests and exit codes agree.
 * A message says what failed, on what, and why; the advice says what to do next.
 */
export const ERROR_CODES = {
  UNKNOWN_FAULT: 'A rule names a fault that is not in the catalogue.',
  UNKNOWN_KEY: 'A key that the format does not know.',
  WRONG_TYPE: 'A value has the wrong type.',
  OUT_OF_RANGE: 'A number lies outside its range, or is not finite.',
  MISSING_KEY: 'A required key is absent.',
  DUPLICATE_ID: 'Two rules have the same id.',
  NEVER_MATCHES: 'A rule can never match any traffic.',
  IMPOSSIBLE: 'A system that cannot work as it is described.',
  WRONG_CARRIER: 'A fault cannot act on the transport or era that it was paired with.',
  BAD_SYNTAX: 'Text that is not valid YAML, JSON or JSONL.',
  EMPTY_INPUT: 'A file with nothing in it.',
  TOO_LARGE: 'An input over its size limit.',
  UNREADABLE: 'A file that cannot be read.',
  NOT_WRITABLE: 'A file or folder that cannot be written.',
  BAD_ARGUMENT: 'A command-line argument that makes no sense.',
  COMMAND_NOT_FOUND: 'A command to start that does not exist or may not be executed.',
  PORT_TAKEN: 'A port to listen on that is in use.',
  UPSTREAM_UNREACHABLE: 'The server behind a proxy cannot be reached.',
  STOPPED: 'Something was asked of a run, or of a connection pool, that has ended.',
  NOT_ALLOWED: 'Injection refused by a guard.',
} as const;

/** A code of `ERROR_CODES`. */
export type ErrorCode = keyof typeof ERROR_CODES;

/** An error that a user can act on: `code` for machines, `message` and `advice` for people. */
export class ToolquakeError extends Error {
  readonly code: ErrorCode;
  readonly advice: string | undefined;

  constructor(code: ErrorCode, text: { message: string; advice?: string | undefined; cause?: unknown }) {
    super(text.message, text.cause === undefined ? undefined : { cause: text.cause });
    this.name = 'ToolquakeError';
    this.code = code;
    this.advice = text.advice;
  }
}

/** Fails to compile when a closed set grows and a switch was not extended; at run time it is a broken promise of ours. */
export function assertNever(value: never): never {
  throw new Error(`Unexpected case: ${JSON.stringify(value)}`);
}
