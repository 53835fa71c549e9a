/** From what was found to what is said: one state, one primary reason. Pure. */
import type { Connection, StageTiming } from '../core/connection.js';
import type { ProbePlan } from '../core/expectation.js';
import { FAILURE_REASONS, isFailureReason } from '../core/failure-reason.js';
import { stateOf, type Finding, type ProbeReport, type TargetFacts } from '../core/probe-report.js';
import type { HealthMeasurement } from '../probes/health-url.js';
import { redactText } from '../recordings/redact.js';

const DAY_MS = 86_400_000;
/** Notices at these ages, so that nobody is told every minute for a month. */
const CERTIFICATE_STEPS = [1, 7, 14, 30];
const CREDENTIAL_MS = 3 * DAY_MS;

/** What will stop working soon. */
export function judgeEndings(
  { certificateEndsAtMs, credentialEndsAtMs }: Pick<Connection, 'certificateEndsAtMs' | 'credentialEndsAtMs'>,
  wallClockMs: number,
): readonly Finding[] {
  const findings: Finding[] = [];
  const daysLeft = certificateEndsAtMs === undefined ? Number.POSITIVE_INFINITY : (certificateEndsAtMs - wallClockMs) / DAY_MS;
  const step = CERTIFICATE_STEPS.find((days) => daysLeft < days);
  if (step !== undefined) {
    findings.push({
      reason: 'tls_expiring',
      step: 'tls',
      detail: `the certificate ends in ${daysLeft.toFixed(1)} days (notice for less than ${step})`,
    });
  }
  const credentialMs = (credentialEndsAtMs ?? Number.POSITIVE_INFINITY) - wallClockMs;
  if (credentialMs < CREDENTIAL_MS) {
    findings.push({
      reason: 'credential_expiring',
      step: 'token',
      detail: `the credential ends in ${(credentialMs / 3_600_000).toFixed(1)} hours`,
    });
  }
  return findings;
}

/** What the health URL says. */
export function judgeHealth({ check, status, reason }: HealthMeasurement): Finding | undefined {
  if (status === check.expectStatus) return undefined;
  const why = reason === undefined ? 'and gives no reason' : `and says: ${reason.slice(0, 200)}`;
  const detail = `the health URL answers with ${status}, ${check.expectStatus} expected, ${why}`;
  return { reason: 'health_check_failed', step: 'health', detail, httpStatus: status };
}

/** Stages that were within their budget and still too slow. */
export function judgeSlowness(stages: readonly StageTiming[], slowMs: ProbePlan['slowMs']): readonly Finding[] {
  return stages.flatMap(({ stage, durationMs }): readonly Finding[] => {
    const limit = slowMs[stage];
    const reason = `slow_${stage}`;
    if (limit === undefined || durationMs <= limit || !isFailureReason(reason)) return [];
    return [{ reason, step: stage, detail: `${stage} took ${Math.round(durationMs)} ms, at most ${limit} ms wanted` }];
  });
}

/** A server chooses many of these words: no secret that it repeats, and nothing that a terminal would obey. */
function harmless(text: string): string {
  return redactText(text.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ')).slice(0, 600);
}

/** Worst first; among equals the first found, which is the first step that failed. */
const SEVERITY = ['down', 'walled', 'unknown', 'degraded'] as const;

/** The report of a probe. */
export function judgeProbe(probe: {
  readonly target: string;
  readonly startedAt: string;
  readonly totalMs: number;
  readonly stages: readonly StageTiming[];
  readonly facts: TargetFacts | undefined;
  readonly findings: readonly Finding[];
}): ProbeReport {
  const { facts, ...rest } = probe;
  const findings = probe.findings.map((finding) => ({ ...finding, detail: harmless(finding.detail) }));
  const state = SEVERITY.find((one) => findings.some((finding) => stateOf(finding) === one));
  const primary = state === undefined ? undefined : findings.find((finding) => stateOf(finding) === state);
  return {
    ...rest,
    state: state ?? 'up',
    failure_reason: primary?.reason ?? null,
    step: primary?.step ?? null,
    detail: primary?.detail ?? null,
    act: primary === undefined ? null : FAILURE_REASONS[primary.reason].act,
    http_status: primary?.httpStatus ?? null,
    rpc_code: primary?.rpcCode ?? null,
    retry_after_seconds: primary?.retryAfterSeconds ?? null,
    facts: facts === undefined ? null : { ...facts, server: harmless(facts.server) },
    findings,
  };
}
