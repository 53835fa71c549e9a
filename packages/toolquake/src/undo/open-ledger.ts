/** The ledger of the run that is doing something: the undo is on disk before the change is made, or nothing is changed. */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { UndoOutcome } from '../core/undo-step.js';
import { appendLine, createLedgerFile, notWritable } from './append-line.js';
import { faultPointsOf, type FaultPoints } from './fault-points.js';
import { ledgerLineText, type LedgerLock } from './ledger-line.js';
import type { Ledger } from './ledger.js';
import { forgetOpenRun, noteOpenRun, RUN_ID } from './open-runs.js';
import { ownerState, ownOwner } from './owner.js';
import { readLedger, type LedgerContent, type LedgerStep } from './read-ledger.js';
import * as steps from './steps/index.js';
import { undoOneStep, type UndoKinds } from './undo-one-step.js';
import { undoOpenSteps } from './undo-open-steps.js';

/** What opening needs. */
export type OpenLedgerOptions = {
  /** `.toolquake/runs/<runId>/ledger.jsonl`; must not exist. */
  readonly path: string;
  readonly runId: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For undoing one step, by whoever does it. */
  readonly deadlineMs: number;
  /** The lock on the server: a later holder of it makes this ledger powerless. */
  readonly lock?: LedgerLock | undefined;
  readonly kinds?: UndoKinds | undefined;
  /** Changes are made though no warden watches. Only for tests. */
  readonly isUnwatched?: boolean | undefined;
  readonly points?: FaultPoints | undefined;
};

/** What is taken back must be small enough to be written at once. */
const MAX_LINE_BYTES = 64 * 1024;

/** Makes the ledger and notes on this host that it is open. Rejects with `NOT_WRITABLE`: then nothing may be changed. */
export async function openLedger(options: OpenLedgerOptions): Promise<Ledger> {
  const { runId, env, deadlineMs, lock, kinds = steps, points = faultPointsOf(env, 'runner') } = options;
  const path = resolve(options.path);
  if (!RUN_ID.test(runId)) throw new ToolquakeError('BAD_ARGUMENT', { message: `${JSON.stringify(runId)} cannot be the id of a run.` });
  const opening = { kind: 'open' as const, run: runId, runner: ownOwner(), startedAt: new Date().toISOString(), deadlineMs };
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    if (existsSync(path)) throw new Error('there is one already');
  } catch (cause) {
    throw notWritable(path, cause);
  }
  await createLedgerFile(path, { ...opening, ...(lock === undefined ? {} : { lock }) }, points);
  // Before the first intent: whoever sweeps finds every ledger that has something to undo.
  await noteOpenRun(env, runId, path);
  points.pass('pointer after');

  let last: Promise<unknown> = Promise.resolve();
  /** One after the other, whatever came of the one before. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work, work);
    last = result.catch(() => {});
    return result;
  };
  const lostTo = (): string | undefined => reasonToStop(path, options.isUnwatched === true);
  // Should the file be lost or damaged while we live, we still know what we did.
  const intended: LedgerStep[] = [];
  const undoAll = async (): Promise<readonly UndoOutcome[]> => {
    const report = await undoOpenSteps(path, { by: 'runner', env, deadlineMs, kinds, points }).catch(() => undefined);
    const known = report?.outcomes ?? [];
    const outcomes: UndoOutcome[] = [];
    for (const one of intended.toReversed()) {
      const { step, action, name } = one;
      const found = known.find((outcome) => outcome.step === step);
      outcomes.push(found ?? { step, action, name, by: 'runner', ...(await undoOneStep(one, { kinds, env, deadlineMs, points })) });
    }
    return outcomes;
  };
  return {
    path,
    intend: (action, name, undo) =>
      inTurn(async () => {
        if (!Object.values(kinds).some(({ kind }) => kind === undo.kind)) {
          throw new ToolquakeError('NOT_ALLOWED', {
            message: `"${name}" names the undo "${undo.kind}", which nobody here can do. So it was not done.`,
          });
        }
        refuseIfLost(name, lostTo());
        const line = { kind: 'intent' as const, step: intended.length + 1, action, name, undo };
        if (ledgerLineText(line).length > MAX_LINE_BYTES) {
          throw new ToolquakeError('TOO_LARGE', {
            message: `The undo of "${name}" is larger than ${MAX_LINE_BYTES} bytes. So it was not done.`,
          });
        }
        // Before the line: a torn one uses its number up, for it may be whole on disk after all.
        intended.push({ ...line, isApplied: false, state: 'open', outcome: undefined });
        await appendLine(path, line, points);
        // Somebody may have taken over while we wrote.
        refuseIfLost(name, lostTo());
        return line.step;
      }),
    applied: (step) => inTurn(() => appendLine(path, { kind: 'applied', step }, points)),
    undoAll: () => inTurn(undoAll),
    lostTo,
    close: () =>
      inTurn(async () => {
        const { isClean, isClosed, run } = readLedger(path);
        // An empty ledger is clean, and no proof of anything.
        if (!isClean || run === undefined) return;
        if (!isClosed) await appendLine(path, { kind: 'close', by: 'runner' }, points);
        forgetOpenRun(env, runId);
        points.pass('pointer removed');
      }),
  };
}

function refuseIfLost(name: string, reason: string | undefined): void {
  if (reason === undefined) return;
  throw new ToolquakeError('STOPPED', { message: `"${name}" was not done: ${reason}.` });
}

/** Why this run may change nothing any more. Reads the ledger anew. */
function reasonToStop(path: string, isUnwatched: boolean): string | undefined {
  let content: LedgerContent;
  try {
    content = readLedger(path);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
  const { takeover, isClosed, warden, damage } = content;
  if (takeover !== undefined) return `the ${takeover.by} took the run over (${takeover.why})`;
  if (isClosed) return 'its ledger is closed';
  if (damage.length > 0) return `its ledger is damaged (${damage[0]})`;
  if (isUnwatched) return undefined;
  if (warden === undefined) return 'no warden watches it yet';
  return ownerState(warden) === 'alive' ? undefined : 'its warden is gone';
}
