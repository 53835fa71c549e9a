/** Dials until a server is ready, or nobody wants to wait any longer. The attempt that counts is the start of the pass. */
import type { Cancel, Clock } from '@toolquake/sdk/core';
import { TargetFailure, type Connection, type Stage, type StageTiming } from '../core/connection.js';
import { FAILURE_REASONS, type FailureReason } from '../core/failure-reason.js';
import { failed } from '../gates/smoke/outcome.js';
import type { SmokeOutcome, SmokeWait } from '../gates/smoke/smoke-report.js';
import { openConnection } from '../targets/open-connection.js';
import type { TargetDefinition } from '../targets/target.js';
import type { SmokeWorld } from './smoke-plan.js';

/** Between two attempts. */
const BACKOFF_MS = 250;

/** The attempt that counts: either a connection or a failure. `helloMs` is without the time to find the era. */
export type OpenAttempt = {
  readonly connection?: Connection;
  readonly failure?: { readonly outcome: SmokeOutcome; readonly isOfDial: boolean };
  readonly startMs: number;
  readonly dialMs: number;
  readonly helloMs: number;
  readonly dialText: string;
  readonly wait: SmokeWait;
};

/** Tries again for as long as the failure is one that passes while a server starts. */
export async function openWhenReady(target: TargetDefinition, maxMs: number, world: SmokeWorld): Promise<OpenAttempt> {
  const { clock, signal } = world;
  const beganMs = clock.nowMs();
  let last: string | null = null;
  for (let attempts = 1; ; attempts++) {
    const startMs = clock.nowMs();
    const wait: SmokeWait = { attempts, waitedMs: startMs - beganMs, maxMs, failure: last };
    let stages: readonly StageTiming[] = [];
    try {
      const connection = await openConnection(target, { ...world, onStages: (timings) => (stages = timings) });
      return { connection, startMs, wait, ...timesOf(stages, clock.nowMs() - startMs) };
    } catch (error) {
      if (!(error instanceof TargetFailure)) throw error;
      const { reason, step, detail } = error.facts;
      if (!mayPass(reason) || clock.nowMs() + BACKOFF_MS - beganMs >= maxMs) {
        const failure = { outcome: failed(reason, detail), isOfDial: DIAL.has(step) || step === 'detect' };
        return { failure, startMs, wait, ...timesOf(stages, clock.nowMs() - startMs) };
      }
      last = error.message;
    }
    await sleep(clock, BACKOFF_MS, signal);
  }
}

const DIAL: ReadonlySet<Stage> = new Set(['resolve', 'tcp', 'tls', 'spawn', 'token']);

function timesOf(stages: readonly StageTiming[], openMs: number): Pick<OpenAttempt, 'dialMs' | 'helloMs' | 'dialText'> {
  const dial = stages.filter(({ stage }) => DIAL.has(stage));
  const sum = (some: readonly StageTiming[]): number => some.reduce((total, { durationMs }) => total + durationMs, 0);
  const dialMs = sum(dial);
  const helloMs = Math.max(0, openMs - dialMs - sum(stages.filter(({ stage }) => stage === 'detect')));
  const told = stages.filter(({ stage }) => DIAL.has(stage) || stage === 'detect');
  const dialText = told
    .map(({ stage, durationMs }) => `${stage === 'detect' ? 'finding the era (not counted)' : stage} ${Math.round(durationMs)} ms`)
    .join(', ');
  return { dialMs, helloMs, dialText };
}

/** What is usual while a server starts. A wrong certificate or a missing credential does not pass by waiting. */
const STARTING: ReadonlySet<FailureReason> = new Set([
  'http_not_found',
  'http_rate_limited',
  'http_server_error',
  'http_bad_gateway',
  'http_unavailable',
  'http_gateway_timeout',
  'tls_timeout',
  'discover_timeout',
  'initialize_timeout',
  'sse_broken',
]);

function mayPass(reason: FailureReason): boolean {
  const { group } = FAILURE_REASONS[reason];
  return group === 'network' || group === 'dns' || STARTING.has(reason);
}

async function sleep(clock: Clock, ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  let cancel: Cancel = () => {};
  let onAbort = (): void => {};
  try {
    await new Promise<void>((resolve, reject) => {
      cancel = clock.schedule(ms, resolve);
      onAbort = () => reject(signal?.reason as Error);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  } finally {
    cancel();
    signal?.removeEventListener('abort', onAbort);
  }
}
