/** What earlier runs left behind on this host, and how it is cleaned up before a new one starts. */
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { ToolquakeError } from '@toolquake/sdk/core';
import { hostMs } from '../workers/host-clock.js';
import type { UndoneBy, UndoOutcome } from '../core/undo-step.js';
import { appendLine } from './append-line.js';
import { faultPointsOf } from './fault-points.js';
import { forgetOpenRun, openRuns, type OpenRun } from './open-runs.js';
import { ownerState } from './owner.js';
import { readLedger, type LedgerContent } from './read-ledger.js';
import type { UndoKinds } from './undo-one-step.js';
import { undoOpenSteps } from './undo-open-steps.js';

type Env = Readonly<Record<string, string | undefined>>;

/**
 * `running`: its runner lives. `undoing`: its warden lives, and is at work. `elsewhere`: another container or host may be
 * running it. `dead`: nobody looks after it. `unknown`: its ledger is missing or cannot be read.
 */
export type LeftoverState = 'running' | 'undoing' | 'elsewhere' | 'dead' | 'unknown';

/** A run whose ledger is open. */
export type Leftover = {
  readonly runId: string;
  readonly ledgerPath: string;
  readonly state: LeftoverState;
  readonly startedAt: string | undefined;
  /** Process of the runner; undefined where it is not known. */
  readonly pid: number | undefined;
  readonly openSteps: readonly {
    readonly step: number;
    readonly action: string;
    readonly name: string;
    readonly why: string | undefined;
  }[];
  /** Why it cannot be undone by itself. */
  readonly problem: string | undefined;
};

/** What a sweep did. */
export type SweepReport = {
  readonly swept: readonly { readonly runId: string; readonly outcomes: readonly UndoOutcome[] }[];
  /** What is still open and belongs to nobody who lives. */
  readonly left: readonly Leftover[];
};

/** Every run of this host that is open, living ones too. Changes nothing. */
export function findLeftovers(env: Env): readonly Leftover[] {
  return openRuns(env).map(lookAt);
}

/** One run, by its ledger. */
export function lookAt({ runId, ledgerPath, problem }: OpenRun): Leftover {
  const nothing = { runId, ledgerPath, startedAt: undefined, pid: undefined, openSteps: [] };
  if (problem !== undefined) return { ...nothing, state: 'unknown', problem };
  if (!existsSync(ledgerPath)) {
    return { ...nothing, state: 'unknown', problem: `its ledger ${ledgerPath} is missing, so what it changed is not known` };
  }
  try {
    const content = readLedger(ledgerPath);
    // It stood there before anybody was told of the ledger, so somebody has emptied the file.
    if (content.run === undefined)
      return { ...nothing, state: 'unknown', problem: `its ledger ${ledgerPath} has no first line, so what it changed is not known` };
    return leftoverOf(runId, ledgerPath, content);
  } catch (error) {
    return { ...nothing, state: 'unknown', problem: error instanceof Error ? error.message : String(error) };
  }
}

function leftoverOf(runId: string, ledgerPath: string, content: LedgerContent): Leftover {
  const { damage, startedAt, runner } = content;
  const openSteps = content.steps
    .filter(({ state }) => state !== 'closed')
    .map(({ step, action, name, outcome }) => {
      return { step, action, name, why: outcome?.state.is === 'not-undone' ? outcome.state.why : undefined };
    });
  const problem = damage.length === 0 ? undefined : `its ledger is damaged (${damage.join('; ')})`;
  return { runId, ledgerPath, state: stateOf(content), startedAt, pid: runner?.pid, openSteps, problem };
}

function stateOf({ runner, warden }: LedgerContent): LeftoverState {
  const states = [runner, warden].map((owner) => (owner === undefined ? 'gone' : ownerState(owner)));
  if (states[0] === 'alive' || states[0] === 'stopped') return 'running';
  if (states[1] === 'alive') return 'undoing';
  return states.includes('elsewhere') ? 'elsewhere' : 'dead';
}

/** Whether nothing of it is open. */
export const isNothingLeft = ({ openSteps, problem }: Leftover): boolean => openSteps.length === 0 && problem === undefined;

/** How a run is undone when its runner is gone. */
export type UndoRunOptions = { readonly by: UndoneBy; readonly env: Env; readonly kinds?: UndoKinds | undefined };

/** Undoes one run in the place of its runner, and forgets it when nothing is left. Rejects with `UNREADABLE` without a ledger. */
export async function undoRun(leftover: Leftover, { by, env, kinds }: UndoRunOptions): Promise<readonly UndoOutcome[]> {
  const { ledgerPath, runId, state } = leftover;
  const isLiving = state === 'running';
  const takeover = isLiving ? 'a person undoes it' : 'the run is gone';
  const report = await undoOpenSteps(ledgerPath, { by, env, kinds, takeover, isProvisional: isLiving, isLast: !isLiving });
  // Where nothing is known, nothing being open proves nothing.
  if (report.isClean && !isLiving && state !== 'unknown') forgetOpenRun(env, runId);
  return report.outcomes;
}

/** Gives a run up that cannot be undone: only for what a person saw and put right by hand. */
export async function forgetRun({ runId, ledgerPath }: Leftover, env: Env): Promise<void> {
  if (existsSync(ledgerPath)) await appendLine(ledgerPath, { kind: 'close', by: 'person' }, faultPointsOf(env, 'person')).catch(() => {});
  forgetOpenRun(env, runId);
}

/** Undoes what the dead left behind. One run that cannot be undone never stops the rest. */
export async function sweep(env: Env, options: { readonly kinds?: UndoKinds | undefined } = {}): Promise<SweepReport> {
  const swept: { runId: string; outcomes: readonly UndoOutcome[] }[] = [];
  for (const leftover of findLeftovers(env)) {
    if (leftover.state !== 'dead') continue;
    if (isNothingLeft(leftover)) forgetOpenRun(env, leftover.runId);
    else swept.push({ runId: leftover.runId, outcomes: await undoRun(leftover, { by: 'sweep', env, kinds: options.kinds }) });
  }
  // A run without a single open step, in a container that is gone, keeps nobody from starting.
  const left = findLeftovers(env).filter((one) => ['dead', 'unknown', 'elsewhere'].includes(one.state) && !isNothingLeft(one));
  return { swept, left };
}

const WARDENS_MAY_TAKE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Cleans up after the dead, and refuses to start anything new while something of theirs is still in place. */
export async function sweepBeforeStart(
  env: Env,
  options: { readonly kinds?: UndoKinds | undefined; readonly tell?: ((line: string) => void) | undefined } = {},
): Promise<SweepReport> {
  // What the warden of a dead run can undo is gone in a moment, and what it cannot is left to the sweep.
  const untilMs = hostMs() + WARDENS_MAY_TAKE_MS;
  const beingUndone = (): readonly Leftover[] => findLeftovers(env).filter((one) => one.state === 'undoing' && !isNothingLeft(one));
  const [awaited] = beingUndone();
  if (awaited !== undefined) options.tell?.(`waiting until the warden of ${awaited.runId} has undone it`);
  while (beingUndone().length > 0 && hostMs() < untilMs) await delay(LOOK_EVERY_MS);
  const swept = await sweep(env, options);
  const report = { ...swept, left: [...swept.left, ...beingUndone()] };
  const [first, ...more] = report.left;
  if (first === undefined) return report;
  const what = first.problem ?? first.openSteps.map(({ name, why }) => (why === undefined ? name : `${name} (${why})`)).join(', ');
  throw new ToolquakeError('NOT_ALLOWED', {
    message: `Run ${first.runId} left something behind that could not be undone: ${what}.${more.length === 0 ? '' : ` So did ${more.length} more.`} Nothing was started.`,
    advice: `Look at it with "toolquake leftovers", and run "toolquake undo ${first.runId}".`,
  });
}
