/** Undoes what a ledger has open: last in, first out; one failure never stops the rest; what came of each is written down. */
import { setTimeout as delay } from 'node:timers/promises';
import type { UndoneBy, UndoOutcome, UndoState } from '../core/undo-step.js';
import { appendLine } from './append-line.js';
import { faultPointsOf, type FaultPoints } from './fault-points.js';
import type { LedgerLine } from './ledger-line.js';
import { viewLock } from './numbered-lock.js';
import { ownerState } from './owner.js';
import { readLedger, type LedgerContent, type LedgerStep } from './read-ledger.js';
import * as steps from './steps/index.js';
import { lookAtStep, undoOneStep, type UndoKinds, type UndoOneStepOptions } from './undo-one-step.js';
import { whileUndoing } from './undo-lock.js';

/** What undoing needs. */
export type UndoOpenStepsOptions = {
  readonly by: UndoneBy;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For each step; the ledger's own unless told otherwise. */
  readonly deadlineMs?: number | undefined;
  /** Ways of undoing; all there are unless told otherwise. */
  readonly kinds?: UndoKinds | undefined;
  /** The runner lives, so that what it was applying may still come: outcomes are provisional. */
  readonly isProvisional?: boolean | undefined;
  /** Said in the ledger before anything is undone: from then on the runner may apply nothing. */
  readonly takeover?: string | undefined;
  /** Everything is over when all is undone: the ledger is closed. */
  readonly isLast?: boolean | undefined;
  readonly points?: FaultPoints | undefined;
};

/** What came of it. `outcomes`: of every step, in the order of undoing, also of those that were undone before. */
export type UndoReport = { readonly outcomes: readonly UndoOutcome[]; readonly damage: readonly string[]; readonly isClean: boolean };

/** A child of a dead runner may still be at work for it: steps that were never said to be applied are looked at again after this. */
const SETTLE_MS = 500;

/** Never rejects for a step that fails; rejects with `UNREADABLE` when there is no ledger to read. */
export async function undoOpenSteps(ledgerPath: string, options: UndoOpenStepsOptions): Promise<UndoReport> {
  const { by, env, kinds = steps, takeover, points = faultPointsOf(env, by) } = options;
  const before = readLedger(ledgerPath);
  const deadlineMs = options.deadlineMs ?? before.deadlineMs;
  const say = async (line: LedgerLine): Promise<void> => {
    // A full disk must not keep a fault in place. The step stays open, and is undone once more by whoever comes next.
    await appendLine(ledgerPath, line, points).catch(() => {});
  };
  if (takeover !== undefined && before.takeover === undefined) await say({ kind: 'takeover', by, why: takeover });
  const patienceMs = 2 * deadlineMs * Math.max(1, before.steps.length) + SETTLE_MS;
  return whileUndoing(ledgerPath, patienceMs, async () => {
    const content = readLedger(ledgerPath);
    const one: UndoOneStepOptions = { kinds, env, deadlineMs, points };
    const made = new Map<number, UndoOutcome>();
    const undo = async (step: LedgerStep): Promise<void> => {
      const whyNot = powerless(content, step, kinds);
      const { state, tookMs } = whyNot === undefined ? await undoOneStep(step, one) : { state: notUndone(whyNot), tookMs: 0 };
      made.set(step.step, { step: step.step, action: step.action, name: step.name, state, tookMs, by });
      const provisional = options.isProvisional === true ? { isProvisional: true as const } : {};
      await say({ kind: 'outcome', step: step.step, by, state, tookMs, ...provisional });
    };
    const open = content.steps.filter(({ state }) => state !== 'closed').reverse();
    for (const step of open) await undo(step);
    const unsure = by === 'runner' || options.isProvisional === true ? [] : open.filter(({ isApplied }) => !isApplied);
    if (unsure.length > 0) {
      await delay(SETTLE_MS);
      for (const step of unsure) {
        if (powerless(content, step, kinds) === undefined && (await lookAtStep(step, one)).is === 'not-undone') await undo(step);
      }
    }
    const after = readLedger(ledgerPath);
    if (after.isClean && options.isLast === true && !after.isClosed) await say({ kind: 'close', by });
    const outcomes = [...after.steps].reverse().flatMap(({ step, outcome }) => made.get(step) ?? outcome ?? []);
    return { outcomes, damage: after.damage, isClean: after.isClean };
  });
}

const notUndone = (why: string): UndoState => ({ is: 'not-undone', why });

/** Why a step cannot be undone by us, whatever it is. */
function powerless(content: LedgerContent, { undo }: LedgerStep, kinds: UndoKinds): string | undefined {
  if (isForeign(content)) return 'another run holds the server by now, and undoing could take back what that one did';
  const { runner } = content;
  if (runner === undefined || ownerState(runner) !== 'elsewhere') return undefined;
  const kind = Object.values(kinds).find((one) => one.kind === undo.kind);
  // Looked at from here, what was changed there would not be seen, and be taken for gone.
  return kind?.isReachable?.(undo.data) === true
    ? undefined
    : `it was done on ${runner.host}, which is another host or container, and only there it can be undone`;
}

/** A run whose lock was taken by a later one may neither apply nor undo any more. */
function isForeign({ lock }: LedgerContent): boolean {
  if (lock === undefined) return false;
  try {
    return (viewLock(lock.directory)?.token ?? 0) > lock.token;
  } catch {
    // A damaged state folder must not keep a fault in place.
    return false;
  }
}
