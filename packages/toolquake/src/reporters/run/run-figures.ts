/** MTTD, MTTR and recovery, from the moments that the journal holds: never from what its verdict says. */
import type { Lane } from '../../core/sample.js';
import type { ActionRecord } from './fault-book.js';

/** The moments, in milliseconds since the start; undefined where there was none. */
export type RunMoments = {
  /** The first fault began to be made, whatever became of it; where there is none, the first action: figures are counted from it. */
  readonly begunMs: number | undefined;
  /** The same, where a fault was made. */
  readonly faultOnMs: number | undefined;
  /** The last fault was gone. */
  readonly faultOffMs: number | undefined;
  /** The first alert since `begunMs`. */
  readonly alertMs: number | undefined;
  /** Steady under the fault, where the system heals itself. */
  readonly healedMs: number | undefined;
  /** Steady after the fault was gone, to the end. */
  readonly recoveredMs: number | undefined;
  /** What `recoveredMs` is counted from. */
  readonly recoveringFromMs: number | undefined;
  /** Something was seen to break: where nothing broke, nothing was repaired. */
  readonly wasBroken: boolean;
  /** A probe looked since the fault. */
  readonly wasProbed: boolean;
  /** The first of healed and recovered. */
  readonly steadyAgainMs: number | undefined;
};

/** The figures; null: it did not happen, or the journal does not tell. */
export type RunFigures = {
  readonly mttdMs: number | null;
  readonly mttrMs: number | null;
  readonly recoveryMs: number | null;
  readonly faultedCalls: number;
  readonly controlCalls: number;
};

/** An action that hits somebody. One that only waits or adds load is no fault. */
export const isFault = ({ blast }: Pick<ActionRecord, 'blast'>): boolean => blast !== 'none';

/** From one moment to the next; null where one is missing. */
const between = (from: number | undefined, to: number | undefined): number | null =>
  from === undefined || to === undefined ? null : Math.max(0, to - from);

/** The figures of the moments. */
export function figuresOf(
  { begunMs, alertMs, healedMs, recoveredMs, recoveringFromMs, wasBroken }: RunMoments,
  calls: { readonly faulted: number; readonly control: number },
): RunFigures {
  return {
    mttdMs: between(begunMs, alertMs),
    mttrMs: wasBroken ? between(begunMs, healedMs) : null,
    recoveryMs: between(recoveringFromMs, recoveredMs),
    faultedCalls: calls.faulted,
    controlCalls: calls.control,
  };
}

/**
 * Calls by lane: as callers saw them, and as the place of the rules counted them, for callers that are not ours. Where rules hit
 * single calls, callers cannot always tell which ones: only the file says whether they can, so either count of the verdict stands.
 */
export function callsOf(
  { control, faulted }: Readonly<Record<Lane, { readonly calls: number }>>,
  counted: { readonly calls: number; readonly delivered: number } | undefined,
  blasts: readonly string[],
  told: number | undefined,
): { readonly faulted: number; readonly control: number } {
  const hasLoad = control.calls + faulted.calls > 0;
  const hit = counted?.delivered ?? 0;
  const seen = Math.max(faulted.calls, hit);
  const isBlurred = blasts.includes('calls') && told !== seen && (told === hit || blasts.includes('server'));
  return { faulted: isBlurred ? hit : seen, control: hasLoad ? control.calls : Math.max(0, (counted?.calls ?? 0) - hit) };
}

/** What the verdict says otherwise than the rest of the journal. */
export type Disagreement = { readonly what: string; readonly told: string; readonly found: string };
