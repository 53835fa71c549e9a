/** The target of a gate is sick, or shows what the gate cannot judge: a result about the target, no mistake of the user. */
import { ToolquakeError } from '@toolquake/sdk/core';
import type { TargetFailure } from './connection.js';
import { FAILURE_REASONS } from './failure-reason.js';

/** Thrown where a gate has no report to put it in. A sick baseline says nothing about the candidate, so it is no failure of the gate. */
export class UnfitTarget extends Error {
  readonly advice: string;
  readonly isBaseline: boolean;

  constructor(message: string, advice: string, options: ErrorOptions & { readonly isBaseline?: boolean | undefined } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'UnfitTarget';
    this.advice = advice;
    this.isBaseline = options.isBaseline ?? false;
  }
}

/** A failure as every gate tells it: a sick target is a result; what failed on our own side is the environment. `detail` is free of secrets. */
export function unfitOr(failure: TargetFailure, what: string, detail: string, isBaseline: boolean = false): Error {
  const message = `${what}: ${failure.reason} at ${failure.step}: ${detail}.`;
  return FAILURE_REASONS[failure.reason].state === 'unknown'
    ? new ToolquakeError('UPSTREAM_UNREACHABLE', { message, advice: failure.advice, cause: failure })
    : new UnfitTarget(message, failure.advice, { cause: failure, isBaseline });
}
