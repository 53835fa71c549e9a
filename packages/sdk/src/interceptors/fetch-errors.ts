/** The errors that a real fetch ends with, with the causes that callers look at. */

/** A cause as Node's fetch attaches it: a system error with its code. */
function causeOf(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/** Nobody listens there. */
export function refusedError(): TypeError {
  const cause = Object.assign(causeOf('ECONNREFUSED', 'connect ECONNREFUSED'), { syscall: 'connect' });
  return new TypeError('fetch failed', { cause });
}

/** The connection broke. Before the response has begun fetch itself fails; after it, its body does. */
export function brokenError(how: 'reset' | 'end', hasBegun: boolean): TypeError {
  const cause = how === 'reset' ? causeOf('ECONNRESET', 'read ECONNRESET') : causeOf('UND_ERR_SOCKET', 'other side closed');
  return new TypeError(hasBegun ? 'terminated' : 'fetch failed', { cause });
}

/** What an aborted signal makes fetch reject with: its reason, whatever that is. */
export function abortReason(signal: AbortSignal): unknown {
  return signal.reason ?? new DOMException('This operation was aborted', 'AbortError');
}
