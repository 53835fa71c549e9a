/** What a smoke test of one deployment found. Plain data: `--json` prints it as it is. */
import type { FailureReason } from '../../core/failure-reason.js';

/** How long each step may take; `total` is the whole pass, without the wait for the server to be ready. */
export const SMOKE_BUDGETS_MS = { dial: 3000, hello: 5000, manifest: 5000, calls: 10_000, auth: 2000, total: 25_000 } as const;

/** The steps, in their order. */
export const SMOKE_STEPS = ['dial', 'hello', 'manifest', 'calls', 'auth'] as const;

/** One of `SMOKE_STEPS`. */
export type SmokeStepName = (typeof SMOKE_STEPS)[number];

/** A budget for every step, and for all of them. */
export type SmokeBudgets = Readonly<Record<keyof typeof SMOKE_BUDGETS_MS, number>>;

/** `inconclusive`: nobody can tell. `unknown`: our own side failed, so nothing was learnt. */
export type SmokeState = 'passed' | 'failed' | 'skipped' | 'inconclusive' | 'unknown';

/** What came of a step, in words. */
export type SmokeOutcome = {
  readonly state: SmokeState;
  readonly reason: FailureReason | null;
  readonly detail: string;
  /** What to do about it; null where there is nothing to do. */
  readonly act: string | null;
};

/** An outcome and the time that it took. */
export type MeasuredStep = SmokeOutcome & { readonly step: SmokeStepName; readonly durationMs: number };

/** A judged step. */
export type SmokeStep = MeasuredStep & {
  readonly budgetMs: number;
  /** What kind of mistake of a deployment this looks like, where the words of the server give it away. */
  readonly clue: string | null;
};

/** The wait before the pass: `failure` is what the last attempt before the one that counts met. */
export type SmokeWait = { readonly attempts: number; readonly waitedMs: number; readonly maxMs: number; readonly failure: string | null };

/** Who answered. */
export type SmokeServer = { readonly name: string; readonly version: string; readonly era: string; readonly transport: string };

/** See the module comment. */
export type SmokeReport = {
  readonly target: string;
  readonly startedAt: string;
  readonly verdict: Exclude<SmokeState, 'skipped'>;
  readonly server: SmokeServer | null;
  readonly ready: SmokeWait;
  /** Of the pass alone. */
  readonly totalMs: number;
  readonly budgetMs: number;
  readonly steps: readonly SmokeStep[];
};
