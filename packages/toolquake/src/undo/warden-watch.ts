/** What a warden does: it looks after a run that may die at any moment, and undoes in its place. */
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { isObject } from '@toolquake/sdk/core';
import { hostMs } from '../workers/host-clock.js';
import { appendLine } from './append-line.js';
import { faultPointsOf } from './fault-points.js';
import { revokeLock } from './numbered-lock.js';
import { forgetOpenRun } from './open-runs.js';
import { ownerState, ownOwner } from './owner.js';
import { readLedger } from './read-ledger.js';
import { isStopRequested, runDirectoryOf } from './stop-request.js';
import type { UndoKinds } from './undo-one-step.js';
import { undoOpenSteps, type UndoReport } from './undo-open-steps.js';

/** What a warden is told when it starts, as the first line of its stdin. */
export type WardenOrder = {
  readonly ledgerPath: string;
  readonly ttlMs: number;
  readonly heartbeatMs: number;
  /** So long may a run take to react to a stop request. */
  readonly stopGraceMs: number;
};

/** What a warden has of the world. */
export type WardenWorld = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly input: Readable;
  /** Tells the runner a word: `watching`, then one `beat` for each of its own. */
  readonly reply: (word: string) => void;
  readonly log: (line: string) => void;
  /** Ways of undoing; all there are unless told otherwise. */
  readonly kinds?: UndoKinds | undefined;
};

const POLL_MS = 100;
/** Between tries, when something could not be undone at once. */
const RETRY_MS = [500, 1000, 2000];

/** Reads an order; nothing when it is none. */
function readWardenOrder(text: string): WardenOrder | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value)) return undefined;
  const { ledgerPath, ttlMs, heartbeatMs, stopGraceMs } = value;
  const isTime = (time: unknown): time is number => typeof time === 'number' && Number.isFinite(time) && time > 0;
  if (typeof ledgerPath !== 'string' || !isTime(ttlMs) || !isTime(heartbeatMs) || !isTime(stopGraceMs)) return undefined;
  return { ledgerPath, ttlMs, heartbeatMs, stopGraceMs };
}

/** Watches until the run is over. Resolves when there is nothing left for it to do. */
export async function watchRun(world: WardenWorld): Promise<void> {
  const lines = createInterface({ input: world.input });
  let order: WardenOrder | undefined;
  let lastBeatMs = hostMs();
  let isDismissed = false;
  let hasEnded = false;
  let begin = (): void => {};
  const began = new Promise<void>((resolve) => {
    begin = resolve;
  });
  lines.on('line', (line) => {
    lastBeatMs = hostMs();
    if (order === undefined) order = readWardenOrder(line);
    else if (line === 'dismiss') isDismissed = true;
    else world.reply('beat');
    begin();
  });
  lines.on('close', () => {
    hasEnded = true;
    begin();
  });
  await began;
  if (order === undefined) return;
  const { ledgerPath, ttlMs, heartbeatMs, stopGraceMs } = order;
  await appendLine(ledgerPath, { kind: 'watch', warden: ownOwner() }, faultPointsOf(world.env, 'warden'));
  world.reply('watching');
  world.log(`watching ${ledgerPath}`);

  let stopSeenMs: number | undefined;
  let takenOverMs: number | undefined;
  let lookedMs = hostMs();
  for (;;) {
    await delay(Math.min(POLL_MS, heartbeatMs / 2));
    const nowMs = hostMs();
    // We were stopped ourselves: beats may be waiting in the pipe, so the lease begins anew.
    if (nowMs - lookedMs > Math.max(heartbeatMs, 10 * POLL_MS)) lastBeatMs = Math.max(lastBeatMs, nowMs - ttlMs + heartbeatMs);
    lookedMs = nowMs;
    if (isDismissed) return world.log('dismissed');
    if (hasEnded) break;
    // Who went on after that may have finished a change, so its lease counts anew from its next sign of life.
    if (takenOverMs !== undefined && lastBeatMs <= takenOverMs) continue;
    if (isStopRequested(runDirectoryOf(ledgerPath))) stopSeenMs ??= nowMs;
    const why =
      nowMs - lastBeatMs > ttlMs
        ? `no heartbeat for ${ttlMs} ms`
        : takenOverMs === undefined && stopSeenMs !== undefined && nowMs - stopSeenMs > stopGraceMs && !readLedger(ledgerPath).isClean
          ? `it did not stop within ${stopGraceMs} ms`
          : undefined;
    if (why === undefined) continue;
    world.log(`taking over: ${why}`);
    await takeOver(world, ledgerPath, why);
    takenOverMs = hostMs();
  }
  world.log('the run is gone');
  await undoForGood(world, ledgerPath);
}

/** The runner lives, and may go on at any moment: it loses its lock, and what it was doing is looked at again when it is gone. */
async function takeOver({ env, log, kinds }: WardenWorld, ledgerPath: string, why: string): Promise<void> {
  try {
    const { lock } = readLedger(ledgerPath);
    if (lock !== undefined) revokeLock(lock.directory, lock.token);
  } catch (error) {
    log(`the lock could not be revoked: ${String(error)}`);
  }
  tell(log, await undoOpenSteps(ledgerPath, { by: 'warden', env, kinds, takeover: why, isProvisional: true }));
}

/** The pipe ended. Its other end closes a moment before the process is gone, or was closed by a runner that lives on. */
async function undoForGood(world: WardenWorld, ledgerPath: string): Promise<void> {
  const { env, log, kinds } = world;
  const isGone = (): boolean => {
    const { runner } = readLedger(ledgerPath);
    return runner === undefined || ownerState(runner) === 'gone';
  };
  for (let waitedMs = 0; waitedMs < 1000 && !isGone(); waitedMs += POLL_MS) await delay(POLL_MS);
  if (!isGone()) {
    await takeOver(world, ledgerPath, 'its pipe to the warden was closed');
    while (!isGone()) await delay(POLL_MS);
  }
  for (const waitMs of [0, ...RETRY_MS]) {
    await delay(waitMs);
    if (forgetIfOver(world, ledgerPath)) return;
    tell(log, await undoOpenSteps(ledgerPath, { by: 'warden', env, kinds, takeover: 'the run is gone', isLast: true }));
  }
  if (!forgetIfOver(world, ledgerPath)) log('something could not be undone: it stays a leftover');
}

/** A run that was closed needs nobody any more. */
function forgetIfOver({ env }: WardenWorld, ledgerPath: string): boolean {
  const { isClean, isClosed, run } = readLedger(ledgerPath);
  if (!isClean || !isClosed) return false;
  if (run !== undefined) forgetOpenRun(env, run);
  return true;
}

function tell(log: (line: string) => void, { outcomes, damage }: UndoReport): void {
  for (const { step, name, state, by } of outcomes) {
    log(`${step} ${name}: ${state.is} by ${by} (${state.is === 'not-undone' ? state.why : state.proof})`);
  }
  for (const one of damage) log(`the ledger is damaged: ${one}`);
}
