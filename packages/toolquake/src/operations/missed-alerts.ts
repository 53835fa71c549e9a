/** Missed alerts of this host: they block a server for every folder that runs are started from, until a person acknowledges one. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isObject } from '@toolquake/sdk/core';
import { stateDirectory, stateDirectoryPath } from '../undo/state-directory.js';
import { makeWhole, readWhole } from '../undo/whole-file.js';

type Env = Readonly<Record<string, string | undefined>>;

/** A run that found one. `root`: the folder of its project. */
export type MissedAlert = { readonly runId: string; readonly root: string; readonly target: string; readonly targetDigest: string };

const FOLDER = 'missed-alerts';

/** Writes one down. */
export function noteMissedAlert(env: Env, missed: MissedAlert): void {
  const folder = join(stateDirectory(env), FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  makeWhole(join(folder, `${missed.runId}.json`), `${JSON.stringify(missed)}\n`);
}

/** Every one that nobody has acknowledged. */
export function missedAlerts(env: Env): readonly MissedAlert[] {
  const folder = join(stateDirectoryPath(env), FOLDER);
  return namesIn(folder).flatMap((name) => readMissed(join(folder, name)) ?? []);
}

/** A person has acknowledged the run. */
export function forgetMissedAlert(env: Env, runId: string): void {
  // The name of a run is the name of a file: nothing else is removed.
  const known = missedAlerts(env).some((one) => one.runId === runId);
  if (known) rmSync(join(stateDirectoryPath(env), FOLDER, `${runId}.json`), { force: true });
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => name.endsWith('.json'));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Undefined for what somebody else has put there. */
function readMissed(path: string): MissedAlert | undefined {
  try {
    const value: unknown = JSON.parse(readWhole(path));
    if (!isObject(value)) return undefined;
    const { runId, root, target, targetDigest } = value;
    if (typeof runId !== 'string' || typeof root !== 'string' || typeof target !== 'string' || typeof targetDigest !== 'string')
      return undefined;
    return basename(path) === `${runId}.json` ? { runId, root, target, targetDigest } : undefined;
  } catch {
    return undefined;
  }
}
