/** Runs the steps of a smoke test, each within its own budget and within what is left of the whole. */
import { ToolquakeError, type Clock } from '@toolquake/sdk/core';
import { TargetFailure, within, type Stage } from '../core/connection.js';
import type { FailureReason } from '../core/failure-reason.js';
import { failed } from '../gates/smoke/outcome.js';
import type { MeasuredStep, SmokeBudgets, SmokeOutcome, SmokeStepName } from '../gates/smoke/smoke-report.js';
import { UnfitTarget } from '../core/unfit-target.js';
import { ManifestRefusal } from './take-manifest.js';

/** Collects steps. */
export type StepRunner = {
  readonly steps: readonly MeasuredStep[];
  add(...steps: readonly MeasuredStep[]): void;
  /** `usedMs` is what the step has taken already. Rejects only for the reason of the outer signal, and when the work has stopped. */
  run(step: SmokeStepName, usedMs: number, work: (signal: AbortSignal) => Promise<SmokeOutcome>): Promise<void>;
};

/** What an overrun is called, and which stage it belongs to. */
const LATE: Readonly<Record<SmokeStepName, readonly [FailureReason, Stage]>> = {
  dial: ['deploy_too_slow', 'tcp'],
  hello: ['initialize_timeout', 'hello'],
  manifest: ['tools_list_timeout', 'list'],
  calls: ['canary_timeout', 'call'],
  auth: ['deploy_too_slow', 'hello'],
};

/** Starts counting at `startMs`. */
export function createStepRunner(world: {
  readonly clock: Clock;
  readonly signal: AbortSignal | undefined;
  readonly budgets: SmokeBudgets;
  readonly startMs: number;
}): StepRunner {
  const { clock, signal, budgets, startMs } = world;
  const steps: MeasuredStep[] = [];
  return {
    steps,
    add: (...more) => void steps.push(...more),
    async run(step, usedMs, work) {
      const beganMs = clock.nowMs();
      const leftMs = budgets.total - (beganMs - startMs);
      const limitMs = Math.max(1, Math.min(budgets[step] - usedMs, leftMs));
      const late = (): TargetFailure => {
        const [reason, stage] = LATE[step];
        const whole = leftMs < budgets[step] - usedMs;
        const detail = whole ? `the whole pass took longer than its ${budgets.total} ms` : `not done within ${budgets[step]} ms`;
        return new TargetFailure({ reason: whole ? 'deploy_too_slow' : reason, step: stage, detail });
      };
      let working: Promise<unknown> | undefined;
      let outcome: SmokeOutcome;
      try {
        outcome = await within({ clock, limitMs, signal }, late, (stop) => {
          const promise = work(stop);
          working = promise;
          return promise;
        });
      } catch (error) {
        outcome = outcomeOfError(error);
      } finally {
        // What was abandoned closes what it opened; a process that it started must not outlive us.
        await working?.catch(() => {});
      }
      steps.push({ ...outcome, step, durationMs: usedMs + clock.nowMs() - beganMs });
    },
  };
}

function outcomeOfError(error: unknown): SmokeOutcome {
  if (error instanceof ManifestRefusal) return failed(error.reason, error.message, error.advice);
  const failure = error instanceof UnfitTarget || error instanceof ToolquakeError ? error.cause : error;
  if (failure instanceof TargetFailure) return failed(failure.reason, failure.facts.detail);
  throw error;
}
