/** Which runs of this host have a ledger that is open, whatever project they belong to: a small file for each in the state folder. */
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isObject, ToolquakeError } from '@toolquake/sdk/core';
import { notWritable, syncDirectory } from './append-line.js';
import { makeWhole, readWhole } from './whole-file.js';
import { stateDirectory } from './state-directory.js';

/** Where a run is. `problem`: the file says nothing that can be used. */
export type OpenRun = { readonly runId: string; readonly ledgerPath: string; readonly pointerPath: string; readonly problem?: string };

type Env = Readonly<Record<string, string | undefined>>;

/** What the id of a run may be: it is the name of files. */
export const RUN_ID = /^[A-Za-z0-9][A-Za-z0-9._-]{0,119}$/;

const folderOf = (env: Env): string => join(stateDirectory(env), 'ledgers');

/** Notes that a ledger is open. Resolves when that is on disk. */
export async function noteOpenRun(env: Env, runId: string, ledgerPath: string): Promise<string> {
  const folder = folderOf(env);
  const path = join(folder, `${runId}.json`);
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    // Half of it, after a kill or on a full disk, would keep everything from starting: what it says is not known then.
    if (!makeWhole(path, `${JSON.stringify({ run: runId, ledger: ledgerPath })}\n`)) throw new Error('there is one already');
    await syncDirectory(folder);
    return path;
  } catch (cause) {
    throw notWritable(path, cause);
  }
}

/** Forgets it: everything was undone. What else lies in the folder, under a name that no run of ours can have, goes as well. */
export function forgetOpenRun(env: Env, runId: string): void {
  if (!runId.includes('/')) rmSync(join(folderOf(env), `${runId}.json`), { force: true });
}

/** All of them, in the order of their names. */
export function openRuns(env: Env): readonly OpenRun[] {
  const folder = folderOf(env);
  let names: readonly string[];
  try {
    names = readdirSync(folder);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new ToolquakeError('UNREADABLE', {
      message: `Which runs are open cannot be read from ${folder}: ${error instanceof Error ? error.message : String(error)}.`,
      advice: 'Make it a folder of your own again. What was open there is not known: look what runs may have left changed.',
      cause: error,
    });
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => readPointer(join(folder, name), name.slice(0, -5)));
}

function readPointer(pointerPath: string, runId: string): OpenRun {
  try {
    const value: unknown = JSON.parse(readWhole(pointerPath));
    const ledgerPath = isObject(value) ? value['ledger'] : undefined;
    if (typeof ledgerPath === 'string' && ledgerPath.startsWith('/')) return { runId, ledgerPath, pointerPath };
  } catch {
    // Told below.
  }
  return { runId, ledgerPath: '', pointerPath, problem: `${pointerPath} does not say where the ledger is` };
}
