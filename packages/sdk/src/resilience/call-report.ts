/** What became of an operation: done, done in part, or failed; never one that looks like another. */
import { isObject, type JsonObject } from '../core/message.js';
import type { CallFailure } from './call-failure.js';

/** One call that was sent, or a question that was asked about it. */
export type AttemptNote = {
  readonly route: string;
  /** Since the operation began. */
  readonly sentAtMs: number;
  readonly latencyMs: number;
  /** Absent when it worked. */
  readonly failure?: CallFailure;
  /** What a read-back said about it. */
  readonly readBack?: 'happened' | 'did not happen' | 'unknown';
};

/** How the operation went. */
export type CallTrail = {
  readonly tool: string;
  /** Its idempotency key: give it again to ask for the same operation. */
  readonly key: string;
  readonly attempts: readonly AttemptNote[];
  readonly elapsedMs: number;
};

/** See the module comment. Look at `state` before `result`: the compiler insists. */
export type CallReport<Result> =
  | (CallTrail & { readonly state: 'complete'; readonly result: Result })
  /** Something is missing, and `missing` says what. */
  | (CallTrail & { readonly state: 'partial'; readonly result: Result; readonly missing: string })
  /** `result` is there when the tool itself said that it failed. */
  | (CallTrail & { readonly state: 'failed'; readonly failure: CallFailure; readonly result?: Result });

/** A tool result as far as this file cares. */
export type ToolResultLike = { readonly content?: readonly unknown[] | undefined; readonly isError?: boolean | undefined };

/**
 * The report as a tool result for a model to read. What is missing is said first, in words; a failure says whether the
 * call may have happened, because a model that does not know will try again.
 */
export function reportAsToolResult<Result extends ToolResultLike>(report: CallReport<Result>): Result | JsonObject {
  if (report.state === 'complete') return report.result;
  if (report.state === 'partial') {
    const { result } = report;
    return { ...result, content: [text(`Partial result: ${report.missing}.`), ...(result.content ?? [])] };
  }
  if (report.result !== undefined && isObject(report.result)) return report.result;
  return { content: [text(`${report.tool} failed: ${report.failure.message}. ${EXECUTED[report.failure.executed]}`)], isError: true };
}

const text = (words: string): JsonObject => ({ type: 'text', text: words });

const EXECUTED = {
  no: 'It was not carried out.',
  maybe: 'It is not known whether it was carried out: check before trying again.',
  'maybe-later': 'It is not known whether it was, or will be, carried out: check before trying again.',
  yes: 'It was carried out, but its answer cannot be used: do not try again.',
} as const;
