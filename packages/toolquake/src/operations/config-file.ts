/** Reads and replaces the config file of a client: whole or not at all, with its mode, through symbolic links. */
import { constants } from 'node:fs';
import { access, open, readFile, realpath, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { readPlanFile } from '../config/plan-file.js';

/** A config file as it was read. `path` is the file itself where a link was named. */
export type ConfigFile = { readonly named: string; readonly path: string; readonly text: string };

/** Reads a config; a file that is missing or no UTF-8 is an error that names it. */
export async function readConfigFile(named: string): Promise<ConfigFile> {
  // Reads with the errors of a plan file (missing, a folder, too large); only the mark at the start must stay.
  await readPlanFile(named);
  const path = await realpath(named);
  return { named, path, text: await readText(path) };
}

/** Text with its byte order mark, so that it can be written as it came. */
async function readText(path: string): Promise<string> {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(await readFile(path));
}

/** Where the original of a config is kept. */
export const backupPathOf = (path: string): string => `${path}.toolquake-backup`;

/** The original that a wrap kept; undefined without one. */
export async function readBackup({ path }: ConfigFile): Promise<string | undefined> {
  try {
    return await readText(backupPathOf(path));
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw new ToolquakeError('UNREADABLE', {
      message: `The backup ${backupPathOf(path)} cannot be read: ${(cause as Error).message}.`,
      advice: 'Move it away to go on without it.',
      cause,
    });
  }
}

/** Forgets the original. */
export async function removeBackup({ path }: ConfigFile): Promise<void> {
  await rm(backupPathOf(path), { force: true });
}

/** Writes the backup first, then the config. Killed at any moment, each of the two is the old or the new one, never a part. */
export async function replaceConfig(file: ConfigFile, text: string, backup: string | undefined): Promise<void> {
  try {
    const { mode } = await stat(file.path);
    // Asked of the mode as well: to root, everything seems writable, and a rename asks nobody.
    if ((mode & 0o222) === 0) throw new Error('it is read-only');
    await access(file.path, constants.W_OK);
    if (backup !== undefined) await replaceFile(backupPathOf(file.path), backup, file.path);
    if ((await readText(file.path)) !== file.text) throw new Error('it was changed by somebody else just now');
    await replaceFile(file.path, text, file.path);
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `${file.named} cannot be written: ${(cause as Error).message}. It is as it was.`,
      advice: 'Make the file and its folder writable, and try again.',
      cause,
    });
  }
}

/** Beside the file and then in its place, on disk before anybody can see it; mode and owner as of `model`. */
async function replaceFile(path: string, text: string, model: string): Promise<void> {
  const { mode, uid, gid } = await stat(model);
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const file = await open(temporary, 'w', 0o600);
    try {
      const made = await file.stat();
      if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid);
      await file.chmod(mode & 0o7777);
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Makes the new name last; systems that cannot open a folder keep it anyway. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}
