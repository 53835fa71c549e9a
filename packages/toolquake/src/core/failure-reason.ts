/**
 * Why a target does not work: one table, from which types, messages, `toolquake fixture`, the journal of the monitor and
 * docs/failure-reasons.md are made. Names are for ever: alerts are routed by them. Pure.
 */
import { rows } from './failure-row.js';
import { FAILURES_OF_THE_SERVER } from './failures-of-the-server.js';
import { FAILURES_ON_THE_WAY } from './failures-on-the-way.js';

export type { FailureState, ReasonEntry } from './failure-row.js';

/** The reasons, in the order in which a probe meets them. */
export const FAILURE_REASONS = {
  ...FAILURES_ON_THE_WAY,
  ...FAILURES_OF_THE_SERVER,
  ...rows('probe', {
    unknown: ['down', '', 'Something that has no name here yet.', 'Please report it with its detail: every failure should have a name.'],
  }),
} as const;

/** The name of a reason. */
export type FailureReason = keyof typeof FAILURE_REASONS;

/** All names, in the order of the table. */
export const failureReasons: readonly FailureReason[] =
  // The keys of the table, which Object.keys types as any text.
  Object.keys(FAILURE_REASONS) as FailureReason[];

/** Is a word the name of a reason? */
export function isFailureReason(word: string): word is FailureReason {
  return Object.hasOwn(FAILURE_REASONS, word);
}
