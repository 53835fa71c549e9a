/** Outcomes of steps, from findings of probes and failures of targets. Pure. */
import { FAILURE_REASONS, type FailureReason } from '../../core/failure-reason.js';
import { stateOf, type Finding } from '../../core/probe-report.js';
import type { SmokeOutcome } from './smoke-report.js';

/** It is as it should be. */
export const passed = (detail: string): SmokeOutcome => ({ state: 'passed', reason: null, detail, act: null });

/** It was not looked at, and why. */
export const skipped = (detail: string): SmokeOutcome => ({ state: 'skipped', reason: null, detail, act: null });

/** It is not as it should be. What is said to be our own fault leaves the server unjudged. */
export const failed = (reason: FailureReason, detail: string, act: string = FAILURE_REASONS[reason].act): SmokeOutcome => ({
  state: FAILURE_REASONS[reason].state === 'unknown' ? 'unknown' : 'failed',
  reason,
  detail,
  act,
});

/** The worst of some findings, with a word on how many more there are; passed when there are none but warnings. */
export function outcomeOf(findings: readonly Finding[], good: string): SmokeOutcome {
  const warnings = findings.filter((finding) => stateOf(finding) === 'warning');
  const bad = findings.filter((finding) => stateOf(finding) !== 'warning');
  const first = bad.find((finding) => stateOf(finding) !== 'unknown') ?? bad[0];
  if (first === undefined) return passed([good, ...warnings.map(({ detail }) => `warning: ${detail}`)].join('; '));
  return failed(first.reason, bad.length === 1 ? first.detail : `${first.detail} (and ${bad.length - 1} more)`);
}
