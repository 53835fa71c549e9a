/** What is remembered of a run once it is over: one line of a list, and what the ladder asks about earlier runs. Plain data. */
import type { Verdict } from './experiment.js';
import type { FindingName } from './run-entry.js';

/** A person read what a run found, and answers for going on. */
export type Acknowledgement = { readonly who: string; readonly why: string; readonly at: string };

/** One run below `.toolquake/runs/`. */
export type RunSummary = {
  readonly runId: string;
  readonly experiment: string;
  readonly question: string;
  readonly target: string;
  /** Of the server itself, whatever it is called; undefined for runs from before it was written down. */
  readonly targetDigest?: string | undefined;
  readonly environment: string;
  readonly faultDigest: string;
  readonly planDigest: string;
  /** Undefined when it ended before anybody asked. */
  readonly build: string | undefined;
  readonly stage: number;
  readonly stages: number;
  readonly dose: number;
  readonly isDryRun: boolean;
  readonly startedAt: string;
  /** `unfinished`: it goes on, or it was killed. */
  readonly verdict: Verdict | 'unfinished';
  readonly why: string;
  readonly endedAt: string | undefined;
  /** Of the verdict; null: no alert came. */
  readonly mttdMs?: number | null | undefined;
  /** Of the verdict; null: it was not seen to be steady again. */
  readonly mttrMs?: number | null | undefined;
  /** A person stopped it. */
  readonly isStopped: boolean;
  readonly findings: readonly { readonly name: FindingName; readonly detail: string }[];
  readonly acknowledged: Acknowledgement | undefined;
};
