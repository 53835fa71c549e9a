/** Taking everything back, always. Each change that was begun is accounted for; one that nobody accounts for counts as not undone. */
import type { RunEntry } from '../core/run-entry.js';
import type { UndoOutcome } from '../core/undo-step.js';
import { box, settle } from './attend.js';
import type { Open } from './during.js';
import type { Run } from './run.js';

type UndoEntry = Extract<RunEntry, { readonly kind: 'undo' }>;

/** The deadline is for one step, for undoing it and for reading the world anew. The ledger may hold a few steps that are not ours. */
const FURTHER_STEPS = 4;
/** Whoever reports what came of it gets this much more. */
const REPORT_MS = 2000;
/** Letting go of what was only prepared. */
const RELEASE_MS = 5000;

/** Asks for everything to be undone, and once more where that broke. */
async function undoAll(run: Run, steps: number): Promise<readonly UndoOutcome[] | { readonly why: string }> {
  const { clock } = run.ports;
  const forMs = 2 * run.experiment.undo.deadlineMs * (steps + FURTHER_STEPS) + REPORT_MS;
  for (let tries = 1; ; tries++) {
    const result = await box(
      clock,
      settle(() => run.ports.undoAll()),
      forMs,
    );
    if (result.kind === 'done') return result.value;
    if (result.kind === 'late') return { why: `Undoing had not ended after ${forMs / 1000} s.` };
    if (tries === 2) return { why: `Undoing failed: ${result.why}` };
  }
}

const entryOf = (atMs: number, { action, name, state, tookMs, by }: UndoOutcome): UndoEntry => ({
  kind: 'undo',
  atMs,
  id: action,
  name,
  state: state.is,
  proof: state.is === 'not-undone' ? state.why : state.proof,
  tookMs,
  by,
});

/** Changes that were made and whose undo nobody gave account of. */
function unaccounted(
  open: Open,
  outcomes: readonly UndoOutcome[],
  why: string,
): readonly (readonly [id: string, name: string, why: string])[] {
  const isTold = (action: string, name: string): boolean => outcomes.some((one) => one.action === action && one.name === name);
  return open.steps.flatMap(({ action, step, settled }) => {
    if (settled === undefined) return [[action, step.name, 'The change had not ended when it was undone: it may still happen.'] as const];
    // A change that failed may have written its intent or not: the ledger knows, and then it is among the outcomes.
    const isOwed = settled.kind === 'done' && step.undo !== undefined && !isTold(action, step.name);
    return isOwed ? [[action, step.name, why] as const] : [];
  });
}

/** Undoes all that is open, and writes down what came of it. Never rejects, and ends in time whatever the world does. */
export async function undoEverything(run: Run, open: Open): Promise<void> {
  const { clock, nowMs } = run.ports;
  run.record({ kind: 'phase', atMs: nowMs(), phase: 'undo' });
  if (open.steps.length > 0) {
    const begunMs = nowMs();
    const wasPending = open.steps.filter((one) => one.settled === undefined);
    const outcomes: UndoOutcome[] = [];
    let why = 'Nobody gave account of its undo.';
    const take = (result: Awaited<ReturnType<typeof undoAll>>): void => {
      if ('why' in result) ({ why } = result);
      else outcomes.push(...result);
    };
    take(await undoAll(run, open.steps.length));
    if (wasPending.length > 0) {
      // A change that was still being made may have been made after the undo: wait for it, and undo again.
      await box(clock, Promise.all(wasPending.map((one) => one.begun)), run.experiment.undo.deadlineMs);
      take(await undoAll(run, open.steps.length));
    }
    // The last word on each step counts.
    const told = [...new Map(outcomes.map((one) => [one.step, one])).values()];
    for (const outcome of told) run.record(entryOf(nowMs(), outcome));
    for (const [id, name, proof] of unaccounted(open, told, why))
      run.record({ kind: 'undo', atMs: nowMs(), id, name, state: 'not-undone', proof, tookMs: nowMs() - begunMs, by: 'runner' });
  }
  await releaseAll(run, open);
}

/** Lets go of all that was prepared. */
export async function releaseAll(run: Run, open: Open): Promise<void> {
  for (const prepared of open.prepared.toReversed()) {
    const result = await box(
      run.ports.clock,
      settle(() => prepared.release()),
      RELEASE_MS,
    );
    if (result.kind === 'done') continue;
    const why = result.kind === 'failed' ? result.why : `it had not ended after ${RELEASE_MS / 1000} s`;
    run.record({ kind: 'note', atMs: run.ports.nowMs(), text: `What an action had prepared was not let go of: ${why}` });
  }
}
