import { expect, test } from 'vitest';
import type { FailureReason } from '../core/failure-reason.js';
import type { ProbeReport } from '../core/probe-report.js';
import type { Stage } from '../core/connection.js';
import { judgeProbe } from '../gates/judge-probe.js';
import { mergeProbe } from './merge-probe.js';

const report = (reason?: FailureReason, step: Stage = 'call'): ProbeReport =>
  judgeProbe({
    target: 'shop',
    startedAt: '2026-11-19T00:00:00.000Z',
    totalMs: 20,
    stages: [],
    facts: undefined,
    findings: reason === undefined ? [] : [{ reason, step, detail: 'as it is' }],
  });

const well = { status: 200, isHealthy: true };
const ill = { status: 503, reason: 'database_unreachable', isHealthy: false };

test.each([
  ['all is well', report(), well, { isUp: true, reason: null, healthStatus: 200, canary: 'ok' }],
  [
    'the health URL says no',
    report(),
    ill,
    { isUp: false, reason: 'health_check_failed', step: 'health', healthReason: 'database_unreachable' },
  ],
  ['health URL and canary say no', report('canary_tool_error'), ill, { isUp: false, reason: 'health_check_failed', canary: 'error' }],
  [
    'only the canary says no',
    report('canary_empty_result'),
    well,
    { isUp: false, reason: 'canary_empty_result', canary: 'empty', healthStatus: 200 },
  ],
  ['the canary hangs', report('canary_timeout'), undefined, { isUp: false, reason: 'canary_timeout', canary: 'timeout' }],
  [
    'nobody listens',
    report('connection_refused', 'tcp'),
    { isHealthy: false, failure: 'connection_refused' as const },
    { isUp: false, reason: 'connection_refused', step: 'tcp', canary: undefined },
  ],
  [
    'only the health URL is gone',
    report(),
    { isHealthy: false, failure: 'connect_timeout' as const },
    { isUp: false, reason: 'connect_timeout', step: 'health' },
  ],
  ['credentials are needed', report('auth_required', 'hello'), undefined, { isUp: false, reason: 'auth_required' }],
  ['slow, but an answer', report('slow_call'), well, { isUp: true, reason: 'slow_call', canary: 'ok' }],
])('%s', (_, probe, health, expected) => {
  expect(mergeProbe(probe, health, 1)).toMatchObject(expected);
});

test('a fault on our side is nothing that was seen', () => {
  expect(mergeProbe(report('probe_offline', 'tcp'), well, 1)).toBeUndefined();
});
