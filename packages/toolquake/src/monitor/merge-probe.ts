/** One round of the monitor as a sample: what the protocol said, and what the health URL said at the same time. Pure. */
import type { FailureReason } from '../core/failure-reason.js';
import { stateOf, type ProbeReport } from '../core/probe-report.js';
import type { CallEnd, Sample } from '../core/sample.js';

/** What came of asking the health URL; `failure` when nothing answered. */
export type HealthNews = {
  readonly status?: number | undefined;
  readonly reason?: string | undefined;
  readonly isHealthy: boolean;
  readonly failure?: FailureReason | undefined;
};

/** What a probe saw, before it is dated. Undefined: the fault is on our side, so that nothing was seen. */
export type ProbeSample = Omit<Extract<Sample, { source: 'probe' }>, 'source' | 'atMs'>;

/**
 * Up is what answers, and says that it is healthy. A server that cannot be reached is told by how it cannot; one that can be
 * is told by its health URL before its canaries, as that is nearer to the cause.
 */
export function mergeProbe(report: ProbeReport, health: HealthNews | undefined, canaries: number): ProbeSample | undefined {
  const { state, failure_reason, step, totalMs } = report;
  if (state === 'unknown') return undefined;
  const answers = state === 'up' || state === 'degraded';
  const canary = canaries === 0 ? undefined : canaryEnd(report);
  const seen = { totalMs, healthStatus: health?.status, healthReason: health?.reason?.slice(0, 200), canary };
  if (!answers && step !== 'call') return { ...seen, isUp: false, reason: failure_reason, step };
  if (health !== undefined && !health.isHealthy)
    return {
      ...seen,
      isUp: false,
      reason: health.status === undefined ? (health.failure ?? 'health_check_failed') : 'health_check_failed',
      step: 'health',
    };
  return { ...seen, isUp: answers, reason: failure_reason, step };
}

/** How the canaries ended: the first that did not end well counts. Undefined: none was called. */
function canaryEnd(report: ProbeReport): CallEnd | undefined {
  const bad = report.findings.find((finding) => finding.step === 'call' && stateOf(finding) !== 'warning');
  if (bad === undefined) return report.findings.some((finding) => stateOf(finding) === 'down') ? undefined : 'ok';
  return ENDS[bad.reason] ?? 'broken';
}

const ENDS: Partial<Record<FailureReason, CallEnd>> = {
  canary_tool_error: 'error',
  jsonrpc_error: 'error',
  internal_error: 'error',
  invalid_params: 'error',
  method_not_found: 'error',
  canary_timeout: 'timeout',
  canary_empty_result: 'empty',
  canary_assertion_failed: 'wrong',
  canary_output_schema_invalid: 'wrong',
  canary_stale: 'wrong',
  slow_call: 'ok',
};
