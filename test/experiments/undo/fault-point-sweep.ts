/** Kills something at every point that it passes. The points come from the log of a clean run, so new ones are swept unasked. */
import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { FAULT_POINT_LOG_VARIABLE, FAULT_POINT_VARIABLE } from '../../../packages/toolquake/src/undo/fault-points.js';

/** One try in a fresh world. */
export type Attempt = {
  /** Runs it until it ended or was killed, with these variables on top of the environment. */
  run(env: NodeJS.ProcessEnv): Promise<{ readonly code: number | null; readonly signal: string | null }>;
  /** Resolves when nobody of the run is left: neither runner nor warden. */
  settled(): Promise<void>;
  /** What the next start does first. Resolves to what it could not undo. */
  sweep(): Promise<readonly unknown[]>;
  snapshot(): unknown;
};

/** What came of being killed at a point. `isRestored`: the world was as before when nobody of the run was left. */
export type KilledAt = {
  readonly point: string;
  readonly signal: string | null;
  readonly isRestored: boolean;
  readonly isRestoredBySweep: boolean;
  readonly left: readonly unknown[];
};

/** Every point that a run passes, in order; `extra` are variables that change the run (another point to die at, for example). */
export async function pointsOf(attempt: Attempt, extra: NodeJS.ProcessEnv = {}): Promise<readonly string[]> {
  const log = join(mkdtempSync(join(tmpdir(), 'toolquake-points-')), 'points');
  await attempt.run({ ...extra, [FAULT_POINT_LOG_VARIABLE]: log });
  await attempt.settled();
  return existsSync(log) ? [...new Set(readFileSync(log, 'utf8').split('\n').filter(Boolean))] : [];
}

/** Kills a run at these points, separated by semicolons, and looks at the world after the warden, and after the next start. */
export async function killAt(attempt: Attempt, point: string): Promise<KilledAt> {
  const before = attempt.snapshot();
  const { signal } = await attempt.run({ [FAULT_POINT_VARIABLE]: point });
  await attempt.settled();
  const isRestored = await becomes(() => isDeepStrictEqual(attempt.snapshot(), before));
  const left = await attempt.sweep();
  return { point, signal, isRestored, isRestoredBySweep: await becomes(() => isDeepStrictEqual(attempt.snapshot(), before)), left };
}

/** A child whose lifeline was cut needs a moment to end by itself. */
async function becomes(isSo: () => boolean, withinMs = 1000): Promise<boolean> {
  for (const end = performance.now() + withinMs; performance.now() < end; await new Promise((go) => setTimeout(go, 20))) {
    if (isSo()) return true;
  }
  return isSo();
}

/** Runs jobs a few at a time, results in order. */
export async function fewAtATime<Item, Result>(
  items: readonly Item[],
  atATime: number,
  work: (item: Item) => Promise<Result>,
): Promise<readonly Result[]> {
  const results: Result[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < items.length; index = next++) results[index] = await work(items[index]!);
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  return results;
}
