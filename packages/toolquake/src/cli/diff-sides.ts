/** What the two sides of `diff` are: lock files, or targets as everywhere else. */
import { statSync } from 'node:fs';
import { ToolquakeError } from '@toolquake/sdk/core';
import type { TargetDefinition } from '../targets/target.js';
import type { CommandArguments } from './command.js';
import { targetOf } from './targets.js';

/** The path of a lock file, or a server that is asked now. */
export type DiffSide = string | TargetDefinition;

/** Both sides. A single target stands for its own lock file in toolquake.yaml and the server itself. */
export async function sidesOf(args: CommandArguments): Promise<readonly [old: DiffSide, now: DiffSide]> {
  const [old = '', now] = args.words;
  if (now !== undefined && args.rest.length > 0) {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'The new side is named twice: as NEW and after "--".',
      advice: 'Leave one of the two out.',
    });
  }
  if (now !== undefined || args.rest.length > 0) {
    return [await sideOf(args, old), now === undefined ? (await targetOf(args, [])).target : await sideOf(args, now)];
  }
  if (!isLockFile(old)) {
    const { target, manifest } = await targetOf(args, [old]);
    if (manifest !== undefined) return [manifest, target];
  }
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: `Nothing is named that ${JSON.stringify(old)} could be compared with.`,
    advice: 'Give a second lock file or target, a command after "--", or a target of toolquake.yaml that has "manifest: FILE".',
  });
}

async function sideOf(args: CommandArguments, word: string): Promise<DiffSide> {
  return isLockFile(word) ? word : (await targetOf({ ...args, rest: [] }, [word])).target;
}

/** A file that is there, or a word that looks like one: then the error is about a file, too. */
function isLockFile(word: string): boolean {
  if (/^https?:\/\//i.test(word)) return false;
  return /[/\\]|\.json$/i.test(word) || statSync(word, { throwIfNoEntry: false })?.isFile() === true;
}
