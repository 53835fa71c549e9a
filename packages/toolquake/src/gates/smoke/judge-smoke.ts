/** From measured steps to a verdict. Pure. */
import { harmless } from '../harmless.js';
import { clueIn } from './clue.js';
import { failed, skipped } from './outcome.js';
import {
  SMOKE_STEPS,
  type MeasuredStep,
  type SmokeBudgets,
  type SmokeReport,
  type SmokeServer,
  type SmokeState,
  type SmokeStep,
  type SmokeWait,
} from './smoke-report.js';

/** Everything that was measured. */
export type SmokeMeasurement = {
  readonly target: string;
  readonly startedAt: string;
  readonly server: SmokeServer | null;
  readonly ready: SmokeWait;
  readonly totalMs: number;
  readonly budgets: SmokeBudgets;
  /** In any order; what is missing was not reached. */
  readonly steps: readonly MeasuredStep[];
};

/** Worst first. One step that failed is enough; a step that nobody could judge is no pass. */
const SEVERITY = ['failed', 'unknown', 'inconclusive'] as const satisfies readonly SmokeState[];

/** The report. */
export function judgeSmoke({ target, budgets, steps, server, ready, ...rest }: SmokeMeasurement): SmokeReport {
  const judged = SMOKE_STEPS.map((step): SmokeStep => {
    const measured = steps.find((one) => one.step === step) ?? { ...skipped('not reached'), step, durationMs: 0 };
    return judgeStep(measured, budgets[step]);
  });
  return {
    ...rest,
    target: inert(target),
    verdict: SEVERITY.find((state) => judged.some((one) => one.state === state)) ?? 'passed',
    server: server === null ? null : { ...server, name: inert(server.name), version: inert(server.version) },
    ready: { ...ready, failure: ready.failure === null ? null : inert(ready.failure) },
    budgetMs: budgets.total,
    steps: judged,
  };
}

function judgeStep(measured: MeasuredStep, budgetMs: number): SmokeStep {
  const isLate = measured.state === 'passed' && measured.durationMs > budgetMs;
  const late = `it passed after ${Math.round(measured.durationMs)} ms, and its budget is ${budgetMs} ms`;
  const step = isLate ? { ...measured, ...failed('deploy_too_slow', late) } : measured;
  const detail = inert(step.detail);
  const clue = step.state === 'passed' || step.state === 'skipped' ? null : clueIn(step.reason, detail);
  return { ...step, detail, act: step.act === null ? null : inert(step.act), budgetMs, clue };
}

/** Besides what harms terminals: runners of workflows obey lines that begin with these, also after spaces. */
const inert = (text: string): string =>
  harmless(text)
    .replaceAll(/::(?=[a-z])/gi, ': :')
    .replaceAll('##[', '## [');
