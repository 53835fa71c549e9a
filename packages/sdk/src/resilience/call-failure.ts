/**
 * What an error of a tool call means. The one place that knows what the official clients throw (v1 `sdk`, v2 `client`),
 * by the members of the errors and never by their classes: the package of neither is needed.
 *
 * The question that matters is not what went wrong, but whether the call may have happened. Where nobody can know, the
 * answer is `maybe`: a write that is repeated on a guess is a write that is made twice.
 */
import type { CallOutcome } from '../core/call-outcome.js';
import { isObject, type JsonObject } from '../core/message.js';
import { MAX_WAIT_MS } from './longest-wait.js';

/** How a call failed. `bad-answer`: it cannot be used. `refused`: we did not make it. `error`: nobody knows this one. */
export type FailureKind = Exclude<CallOutcome, 'ok'> | 'bad-answer' | 'refused' | 'error';

/** Did the tool do its work? `maybe-later`: nobody answered, so it may have, or may yet. */
export type Executed = 'no' | 'maybe' | 'maybe-later' | 'yes';

/** One failed call. */
export type CallFailure = {
  readonly kind: FailureKind;
  readonly executed: Executed;
  /** Might the same call work a moment later? */
  readonly isTransient: boolean;
  readonly message: string;
  /** What was thrown; absent where a tool itself said that it failed. */
  readonly error?: unknown;
  /** HTTP status, where there was one. */
  readonly status?: number;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number;
};

type Meaning = Pick<CallFailure, 'kind' | 'executed' | 'isTransient'>;
const meaning = (kind: FailureKind, executed: Executed, isTransient: boolean): Meaning => ({ kind, executed, isTransient });

/** System and undici codes of connections that never came about: not a byte of the call was sent. */
const NEVER_CONNECTED = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT']);
const BROKEN = new Set([
  'ECONNRESET',
  'EPIPE',
  'ECONNABORTED',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** String codes of the v2 client. The rest of its list is about connecting, which a tool call does not do. */
const CLIENT_CODES: Readonly<Record<string, Meaning>> = {
  NOT_CONNECTED: meaning('disconnected', 'no', true),
  NOT_INITIALIZED: meaning('disconnected', 'no', false),
  CAPABILITY_NOT_SUPPORTED: meaning('refused', 'no', false),
  METHOD_NOT_SUPPORTED_BY_PROTOCOL_VERSION: meaning('refused', 'no', false),
  REQUEST_TIMEOUT: meaning('no-answer', 'maybe-later', true),
  CONNECTION_CLOSED: meaning('disconnected', 'maybe-later', true),
  SEND_FAILED: meaning('disconnected', 'maybe-later', true),
  INVALID_RESULT: meaning('bad-answer', 'maybe', false),
  UNSUPPORTED_RESULT_TYPE: meaning('bad-answer', 'maybe', false),
  INPUT_REQUIRED_ROUNDS_EXCEEDED: meaning('bad-answer', 'maybe', false),
  CLIENT_HTTP_UNEXPECTED_CONTENT: meaning('bad-answer', 'maybe', false),
  CLIENT_HTTP_AUTHENTICATION: meaning('http-error', 'no', false),
  CLIENT_HTTP_FORBIDDEN: meaning('http-error', 'no', false),
};

/** Both clients check a result against its output schema and throw: by then the tool has long done its work. */
const AFTER_THE_FACT = /output schema|Failed to validate structured content|Output validation error/;

/** JSON-RPC codes that are sent instead of doing the work: parse error, unknown method, and the modern era's refusals. */
const REFUSAL_CODES = new Set([-32700, -32601, -32020, -32021, -32022]);

/** What a thrown error means. */
export function classifyError(error: unknown): CallFailure {
  const about: JsonObject = isObject(error) ? error : {};
  const data = isObject(about['data']) ? about['data'] : {};
  const status = statusOf(about, data);
  const retryAfterMs = retryAfterIn(data);
  return {
    ...meaningOf(about, status),
    message: wordsOf(error),
    error,
    ...(status === undefined ? {} : { status }),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
}

/** Anything can be thrown, also what cannot be turned into text. */
function wordsOf(error: unknown): string {
  if (!isObject(error)) return Array.isArray(error) ? 'a list was thrown' : String(error);
  return typeof error['message'] === 'string' ? error['message'] : 'something that is not an error was thrown';
}

function meaningOf(about: JsonObject, status: number | undefined): Meaning {
  const { code, name } = about;
  const message = wordsOf(about);
  if (status !== undefined) return httpMeaning(status);
  if (typeof code === 'string' && Object.hasOwn(CLIENT_CODES, code)) return CLIENT_CODES[code]!;
  if (typeof code === 'number') return numberMeaning(code, message);
  const system = systemCode(about);
  if (system !== undefined && (NEVER_CONNECTED.has(system) || isCertificate(system)))
    return meaning('disconnected', 'no', !isCertificate(system));
  if (system !== undefined && BROKEN.has(system)) return meaning('disconnected', 'maybe-later', true);
  if (name === 'TimeoutError' || name === 'AbortError') return meaning('no-answer', 'maybe-later', name === 'TimeoutError');
  if (name === 'TypeError' && (message === 'fetch failed' || message === 'terminated')) return meaning('disconnected', 'maybe-later', true);
  if (name === 'SyntaxError') return meaning('bad-answer', 'maybe', true);
  if (message === 'Not connected') return meaning('disconnected', 'no', true);
  return meaning('error', 'maybe-later', false);
}

/** Numeric codes: JSON-RPC errors of the server, those that a client makes up in their form, and v1's HTTP errors. */
function numberMeaning(code: number, message: string): Meaning {
  // v1 throws its own timeouts and closed connections as if the server had answered.
  if (code === -32001) return meaning('no-answer', 'maybe-later', true);
  if (code === -32000 && message.includes('Connection closed')) return meaning('disconnected', 'maybe-later', true);
  if (code === -1) return meaning('bad-answer', 'maybe', false);
  if ((code === -32600 || code === -32602) && AFTER_THE_FACT.test(message)) return meaning('bad-answer', 'yes', false);
  if (REFUSAL_CODES.has(code)) return meaning('rpc-error', 'no', false);
  // Internal errors and the server's own codes may pass; wrong parameters stay wrong.
  return meaning('rpc-error', 'maybe', code !== -32600 && code !== -32602);
}

function httpMeaning(status: number): Meaning {
  // Too many calls: refused at the door. A 503 may come from a gateway whose server is at work.
  if (status === 429) return meaning('http-error', 'no', true);
  if (status === 408 || status === 502 || status === 503 || status === 504) return meaning('http-error', 'maybe-later', true);
  if (status >= 500) return meaning('http-error', 'maybe', status === 500);
  // 401, 403, 404 (also a lost session), 413 and their like: the call did not reach its tool.
  return meaning('http-error', status >= 400 ? 'no' : 'maybe', false);
}

/**
 * v2 puts the status into `data`; v1 has an error whose numeric code is the status. In a JSON-RPC error, `data` is the
 * server's: a status there is what some call of its own met, and says nothing about whether ours was carried out.
 */
function statusOf(about: JsonObject, { status }: JsonObject): number | undefined {
  const { code, message } = about;
  const refusal = CREDENTIAL_ERRORS.find(([name]) => isOfClass(about, name));
  if (refusal !== undefined) return refusal[1];
  if (typeof status === 'number' && typeof code !== 'number') return status;
  const isHttp =
    typeof code === 'number' && code >= 100 && code <= 599 && typeof message === 'string' && message.startsWith('Streamable HTTP error');
  return isHttp ? code : undefined;
}

/** The code of a system error, which fetch hides in the cause. */
function systemCode(about: JsonObject): string | undefined {
  for (let one: unknown = about, depth = 0; isObject(one) && depth < 4; one = one['cause'], depth++) {
    if (typeof one['code'] === 'string') return one['code'];
  }
  return undefined;
}

const isCertificate = (code: string): boolean => /CERT|^ERR_TLS|^UNABLE_TO/.test(code);

/** What the clients throw in the place of a status; v1 gives its errors the name of all errors. */
const CREDENTIAL_ERRORS = [
  ['UnauthorizedError', 401],
  ['InsufficientScopeError', 403],
] as const;

function isOfClass({ name, constructor }: JsonObject, wanted: string): boolean {
  return name === wanted || (typeof constructor === 'function' && constructor.name === wanted);
}

/** Servers that answer in JSON-RPC have no header to put it in; these are the names seen in `error.data`. */
function retryAfterIn(data: JsonObject): number | undefined {
  for (const [name, unitMs] of [
    ['retryAfterMs', 1],
    ['retry_after_ms', 1],
    ['retryAfterSeconds', 1000],
    ['retryAfter', 1000],
    ['retry_after', 1000],
  ] as const) {
    const value = data[name];
    if (typeof value === 'number' && Number.isFinite(value) && value >= 0) return Math.min(value * unitMs, MAX_WAIT_MS);
  }
  return undefined;
}

/** A result in which the tool itself says that it failed. Such an answer is for the model to read: it is not repeated. */
export function toolErrorFailure(result: unknown): CallFailure {
  const [first] = isObject(result) && Array.isArray(result['content']) ? (result['content'] as unknown[]) : [];
  const said = isObject(first) && typeof first['text'] === 'string' ? first['text'] : 'the tool reported an error';
  return { ...meaning('tool-error', 'maybe', false), message: said };
}
