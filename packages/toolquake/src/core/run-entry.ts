/** The journal of an experiment: what was done and seen, one entry per line. Verdicts and reports are made from it alone. */
import type { JOURNAL_VERSION } from '@toolquake/sdk/core';
import type { Phase, Verdict } from './experiment.js';
import type { Lane, Sample, SignalName } from './sample.js';
import type { UndoneBy } from './undo-step.js';

/** Whether a rule holds. `few`: too few samples; `silent`: no sample at all, or none that is fresh. */
export type RuleState = 'holds' | 'fails' | 'few' | 'silent';

/** One rule, looked at once. */
export type RuleReading = {
  readonly signal: SignalName;
  readonly lane?: Lane | undefined;
  readonly name?: string | undefined;
  /** `at least 0.99`. */
  readonly bound: string;
  /** How far back the value looks; 0 where only the newest sample counts. With it MTTR can be counted from the journal alone. */
  readonly windowMs?: number | undefined;
  readonly value: number | null;
  readonly samples: number;
  readonly state: RuleState;
};

/** Names of what an experiment can find wrong with a system. Stable: reports and tests are routed by them. */
export const FINDINGS = {
  'missed-alert': ['P1', 'The server was down or wrong, and no alert came.'],
  'late-alert': ['P2', 'The alert came later than it may.'],
  'wrong-reason': ['P2', 'The alert gave another reason than the fault was.'],
  'no-recovery-notice': ['P2', 'The server recovered, and nobody was told.'],
  'false-positive': ['P2', 'An alert came while nothing was wrong.'],
  'crash-loop': ['P1', 'The process ended again and again instead of serving what it could.'],
  hang: ['P1', 'Calls were neither answered nor refused until their callers gave up.'],
  'silent-empty': ['P1', 'Calls were answered with nothing, as if there were nothing.'],
  'health-lies': ['P1', 'The health URL said that all is well while calls failed.'],
  'manual-restart': ['P1', 'The server did not recover by itself when the fault was gone.'],
  'not-restarted': ['P1', 'The process did not come back by itself after it was killed.'],
  'slow-recovery': ['P2', 'The system recovered, but later than it must.'],
  'retry-storm': ['P1', 'Retries multiplied the load instead of riding the fault out.'],
  'steady-violated': ['P2', 'What must stay true did not.'],
  'duplicate-effect': ['P1', 'One operation took effect more than once.'],
} as const satisfies Readonly<Record<string, readonly ['P1' | 'P2', string]>>;

/** The name of a finding. */
export type FindingName = keyof typeof FINDINGS;

/** What a line says. `atMs` counts from the start of the run. */
export type RunEntry =
  | {
      readonly v: typeof JOURNAL_VERSION;
      readonly kind: 'experiment';
      readonly atMs: 0;
      readonly run: string;
      readonly experiment: string;
      readonly question: string;
      readonly owner?: string | undefined;
      readonly target: string;
      /** Of the server itself, whatever it is called. */
      readonly targetDigest?: string | undefined;
      readonly environment: string;
      readonly startedAt: string;
      readonly stage: number;
      readonly stages: number;
      readonly dose: number;
      readonly seed: number;
      /** Of the plan that was previewed and approved. */
      readonly planDigest: string;
      /** Of what is injected, the dose left out: stages of one ladder have it in common. */
      readonly faultDigest: string;
      readonly isDryRun: boolean;
      readonly monitorEveryMs: number;
      readonly recoverWithinMs: number;
      readonly actions: readonly { readonly id: string; readonly action: string; readonly blast: string; readonly about: string }[];
    }
  /** Server name, version and a hash of its tools: results of another build say nothing about this one. */
  | { readonly kind: 'build'; readonly atMs: number; readonly build: string }
  | { readonly kind: 'phase'; readonly atMs: number; readonly phase: Phase }
  | { readonly kind: 'precondition'; readonly atMs: number; readonly name: string; readonly isMet: boolean; readonly detail: string }
  | {
      readonly kind: 'action';
      readonly atMs: number;
      readonly id: string;
      readonly action: string;
      /** `ended-early`: it was seen to work, and no longer was when its time was over. */
      readonly state: 'applying' | 'applied' | 'in-effect' | 'not-in-effect' | 'ended-early' | 'failed';
      readonly detail?: string | undefined;
    }
  | {
      readonly kind: 'undo';
      readonly atMs: number;
      readonly id: string;
      readonly name: string;
      readonly state: 'undone' | 'gone' | 'not-undone';
      readonly proof: string;
      readonly tookMs: number;
      readonly by: UndoneBy;
    }
  | { readonly kind: 'sample'; readonly atMs: number; readonly sample: Sample }
  /** The steady state, looked at once. `phase` says whose rules: where a system must heal itself, those of `after` are looked at during the fault. */
  | {
      readonly kind: 'steady';
      readonly atMs: number;
      readonly phase: Phase;
      readonly isSteady: boolean;
      readonly rules: readonly RuleReading[];
    }
  | { readonly kind: 'trip'; readonly atMs: number; readonly rule: RuleReading; readonly origin: string; readonly why: string }
  /** The run was ended early: by a person, a halt, a limit, or because something that keeps it safe was gone. Tripwires have entries of their own. */
  | { readonly kind: 'stop'; readonly atMs: number; readonly why: string; readonly isAsked: boolean }
  /** An alert as it arrived at the receiver. `sentAtMs` is when the monitor says that it noticed. */
  | {
      readonly kind: 'alert';
      readonly atMs: number;
      readonly state: 'firing' | 'resolved';
      readonly reason: string;
      readonly rule: string;
      readonly sentAtMs?: number | undefined;
    }
  | { readonly kind: 'finding'; readonly atMs: number; readonly name: FindingName; readonly detail: string }
  | { readonly kind: 'note'; readonly atMs: number; readonly text: string }
  | {
      readonly kind: 'verdict';
      readonly atMs: number;
      readonly verdict: Verdict;
      readonly why: string;
      readonly faultedCalls: number;
      readonly controlCalls: number;
      /** Fault on -> alert. */
      readonly mttdMs: number | null;
      /** Fault on -> steady for a whole window. */
      readonly mttrMs: number | null;
      /** Fault off -> steady for a whole window. */
      readonly recoveryMs: number | null;
      readonly isStopped: boolean;
    };
