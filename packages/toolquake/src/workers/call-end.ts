/** How a call ended, in the words of samples, from what its caller saw. Pure. */
import { isObject, parsePath, placesAt, type JsonObject } from '@toolquake/sdk/core';
import { answerData, answerText } from '../core/answer-data.js';
import { TargetFailure, type RpcOutcome } from '../core/connection.js';
import type { CallEnd } from '../core/sample.js';
import { redactText } from '../recordings/redact.js';

/** What an end is judged by, besides the answer. */
export type CallFacts = {
  readonly ms: number;
  readonly timeoutMs: number;
  /** A path into the answer that must hold something. */
  readonly notEmpty?: string | undefined;
};

/** An end, and the words of whoever said so. */
export type JudgedEnd = { readonly end: CallEnd; readonly detail?: string | undefined };

/** A refusal says that there is no room. Whoever has no answer, and does not say why, has failed. */
const NO_ROOM =
  /\b(?:too many|rate.?limit\w*|overload\w*|busy|at capacity|over capacity|capacity|exhausted|try again|retry later|queue (?:is )?full|pool (?:is )?full|connection limit|unavailable)\b/i;

/** Later than this share of the caller's patience, a refusal is no quick one: the caller has waited as for an answer. */
const QUICK_SHARE = 0.5;

const MAX_DETAIL = 200;

/** Judges an answer of any kind. */
export function endOfAnswer(outcome: RpcOutcome, facts: CallFacts): JudgedEnd {
  if (outcome.kind === 'error') {
    const { message, httpStatus, code } = outcome.error;
    return failed(`${code}: ${message}`, facts, httpStatus === 429 || httpStatus === 503);
  }
  const { result } = outcome;
  if (result['isError'] === true) return failed(answerText(result), facts, false);
  if (facts.notEmpty !== undefined && !holdsSomething(result, facts.notEmpty)) {
    return { end: 'empty', detail: `nothing at ${facts.notEmpty}` };
  }
  return { end: 'ok' };
}

/** Judges what prevented an answer. */
export function endOfFailure(error: unknown): JudgedEnd {
  const detail = shortened(error instanceof Error ? error.message : String(error));
  if (!(error instanceof TargetFailure)) return { end: 'broken', detail };
  const { reason } = error;
  switch (reason) {
    case 'http_rate_limited':
    case 'http_unavailable':
      return { end: 'rejected', detail };
    case 'canary_timeout':
    case 'sse_no_final_response':
    case 'stdio_no_response':
    case 'http_gateway_timeout':
      return { end: 'timeout', detail };
    case 'jsonrpc_parse_error':
    case 'jsonrpc_invalid':
    case 'answer_too_large':
    case 'result_schema_invalid':
    case 'http_unexpected_content':
    case 'stdio_stdout_pollution':
      return { end: 'wrong', detail };
    case 'http_server_error':
    case 'http_bad_request':
    case 'auth_required':
    case 'auth_rejected':
    case 'auth_forbidden':
    case 'auth_expired':
      return { end: 'error', detail };
    default:
      // `discover_timeout`, `connect_timeout`: the caller gave up for time before it could even ask.
      return { end: reason.endsWith('_timeout') ? 'timeout' : 'broken', detail };
  }
}

/** Ends after which a caller tries again: it knows that it has no answer. */
export const isWorthRetrying = (end: CallEnd): boolean => end !== 'ok' && end !== 'empty';

function failed(words: string, { ms, timeoutMs }: CallFacts, isRefusal: boolean): JudgedEnd {
  const isQuick = ms <= timeoutMs * QUICK_SHARE;
  return { end: isRefusal || (isQuick && NO_ROOM.test(words)) ? 'rejected' : 'error', detail: shortened(words) };
}

/** Is there a thing at the path? A number is one, 0 and `false` too; an empty text, list or mapping is none. */
function holdsSomething(result: JsonObject, path: string): boolean {
  const steps = parsePath(path);
  if (steps === undefined) return false;
  return placesAt(answerData(result), steps).some(({ value }) => {
    if (value === undefined || value === null || value === '') return false;
    if (Array.isArray(value)) return value.length > 0;
    return !isObject(value) || Object.keys(value).length > 0;
  });
}

/** What servers say may hold what should be in no journal. */
const shortened = (text: string): string =>
  redactText(text.slice(0, 4000))
    .replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .slice(0, MAX_DETAIL);
