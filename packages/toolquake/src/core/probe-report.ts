/** What one probe of one target found. Plain data: `--json` prints it as it is. */
import type { Era, FailureFacts, Stage, StageTiming, TargetTransport } from './connection.js';
import { FAILURE_REASONS, type FailureReason, type FailureState } from './failure-reason.js';

/** Something that was found, good or bad for the verdict as its reason says; `state` is there where the case is another. */
export type Finding = Omit<FailureFacts, 'cause'> & { readonly state?: FailureState };

/** `up` when nothing was found but warnings. */
export type TargetState = 'up' | Exclude<FailureState, 'warning'>;

/** What was learnt about a target that said hello. */
export type TargetFacts = {
  readonly era: Era;
  readonly protocolVersion: string;
  readonly transport: TargetTransport;
  readonly server: string;
  readonly tools: number | undefined;
};

/** See the module comment. */
export type ProbeReport = {
  readonly target: string;
  readonly startedAt: string;
  readonly state: TargetState;
  /** The first failing step, where one failed. */
  readonly failure_reason: FailureReason | null;
  readonly step: Stage | null;
  readonly detail: string | null;
  readonly act: string | null;
  readonly http_status: number | null;
  readonly rpc_code: number | null;
  readonly retry_after_seconds: number | null;
  readonly totalMs: number;
  readonly stages: readonly StageTiming[];
  readonly facts: TargetFacts | null;
  /** Everything that was found, the failure included, in the order in which it was. */
  readonly findings: readonly Finding[];
};

/** The state that a finding means for its target. */
export function stateOf({ reason, state }: Pick<Finding, 'reason' | 'state'>): FailureState {
  return state ?? FAILURE_REASONS[reason].state;
}
