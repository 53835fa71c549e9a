/** Stops runs: by a file first, then by signals, and when the run is dead by undoing what it left. Asks nobody and waits for no lock. */
import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { halt } from '../undo/halt.js';
import { findLeftovers, isNothingLeft, lookAt, undoRun, type Leftover } from '../undo/leftovers.js';
import { ownerState } from '../undo/owner.js';
import { signalProcess } from '../undo/process-identity.js';
import { readLedger, type LedgerContent } from '../undo/read-ledger.js';
import { requestStop, runDirectoryOf } from '../undo/stop-request.js';
import { hostMs } from '../workers/host-clock.js';

type Env = Readonly<Record<string, string | undefined>>;

/** What stopping a run came to. `left`: what is still in place. */
export type StoppedRun = { readonly runId: string; readonly how: string; readonly left: Leftover | undefined };

const POLL_MS = 50;
/** For the run to react to the file, and then to the signal. */
const REACT_MS = 10_000;
/** For a warden to undo in the place of a dead run. */
const WARDEN_MS = 20_000;

/** Every run that is open: those this host knows of, and those of the project, should the state folder be damaged. */
export function runsToStop(env: Env, projectFolder: string, tell: (line: string) => void): readonly Leftover[] {
  const found = new Map<string, Leftover>();
  try {
    for (const one of findLeftovers(env)) found.set(one.ledgerPath, one);
  } catch (error) {
    tell(`The state folder cannot be read, so only runs of this project are looked at: ${textOf(error)}`);
  }
  const runs = join(projectFolder, '.toolquake', 'runs');
  for (const runId of namesIn(runs, tell)) {
    const ledgerPath = resolve(runs, runId, 'ledger.jsonl');
    if (found.has(ledgerPath) || !existsSync(ledgerPath)) continue;
    const one = lookAt({ runId: basename(dirname(ledgerPath)), ledgerPath, pointerPath: '' });
    if (one.state === 'running' || !isNothingLeft(one)) found.set(ledgerPath, one);
  }
  return [...found.values()];
}

/** Runs that another user started here (with sudo, for example) are theirs to stop; ours must not wait for that. */
function namesIn(folder: string, tell: (line: string) => void): readonly string[] {
  try {
    return existsSync(folder) ? readdirSync(folder) : [];
  } catch (error) {
    tell(`The runs of this project cannot be read, so only those of the state folder are looked at: ${textOf(error)}`);
    return [];
  }
}

/** Blocks new runs until a person resumes. Returns the code that this person may resume with, where one was asked for. */
export function haltHost(env: Env, why: string, withCode: boolean): string | undefined {
  const code = withCode ? randomBytes(5).toString('hex') : undefined;
  halt(env, why, code);
  return code;
}

/** Stops one run, and resolves when nothing of it is in place any more, or when nothing more can be done about it. */
export async function stopRun(run: Leftover, env: Env, reactMs: number = REACT_MS): Promise<StoppedRun> {
  if (run.state === 'unknown') return { runId: run.runId, how: 'nothing could be done', left: run };
  const how = await endRunner(run, reactMs);
  const { ledgerPath } = run;
  await until(() => !isWatched(contentOf(ledgerPath)), WARDEN_MS);
  const now = lookAgain(run);
  if (now.state !== 'running' && !isNothingLeft(now)) await undoRun(now, { by: 'person', env }).catch(() => {});
  const after = lookAgain(run);
  return { runId: run.runId, how, left: isNothingLeft(after) ? undefined : after };
}

const lookAgain = ({ runId, ledgerPath }: Leftover): Leftover => lookAt({ runId, ledgerPath, pointerPath: '' });

async function endRunner({ ledgerPath }: Leftover, reactMs: number): Promise<string> {
  const state = (): string => stateOfRunner(contentOf(ledgerPath));
  if (state() === 'gone') return 'it was dead already';
  // A clean ledger is enough while the file stands there: with it, the run begins nothing any more.
  const isOver = (): boolean => state() === 'gone' || contentOf(ledgerPath)?.isClosed === true;
  const isHarmless = (): boolean => isOver() || contentOf(ledgerPath)?.isClean === true;
  let isAsked = true;
  try {
    requestStop(runDirectoryOf(ledgerPath));
  } catch {
    isAsked = false;
  }
  if (isAsked && state() !== 'stopped' && (await until(isOver, reactMs, () => state() === 'stopped')))
    return 'it stopped when it was asked';
  if (isAsked && state() === 'alive' && isHarmless()) return 'it is stopping, and nothing of it is in place';
  if (state() === 'elsewhere') return 'it runs elsewhere, and was asked to stop';
  if (state() === 'alive') {
    signal(ledgerPath, 'SIGTERM');
    if (await until(isOver, reactMs)) return 'it stopped at SIGTERM';
  }
  // It is stopped, or deaf: its warden does what it cannot.
  signal(ledgerPath, 'SIGKILL');
  await until(() => state() === 'gone', reactMs);
  return 'it was killed, because it did not react';
}

function signal(ledgerPath: string, name: NodeJS.Signals): void {
  const runner = contentOf(ledgerPath)?.runner;
  if (runner !== undefined && ownerState(runner) !== 'elsewhere') signalProcess(runner, name);
}

function contentOf(ledgerPath: string): LedgerContent | undefined {
  try {
    return readLedger(ledgerPath);
  } catch {
    return undefined;
  }
}

const stateOfRunner = (content: LedgerContent | undefined): string => (content?.runner === undefined ? 'gone' : ownerState(content.runner));

const isWatched = (content: LedgerContent | undefined): boolean =>
  content?.warden !== undefined && stateOfRunner(content) === 'gone' && ownerState(content.warden) === 'alive';

async function until(isSo: () => boolean, withinMs: number, isHopeless: () => boolean = () => false): Promise<boolean> {
  for (const endMs = hostMs() + withinMs; hostMs() < endMs; await delay(POLL_MS)) {
    if (isSo()) return true;
    if (isHopeless()) return false;
  }
  return isSo();
}

const textOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
