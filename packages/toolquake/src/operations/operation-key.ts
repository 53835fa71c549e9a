/**
 * The key under which a journal says that two calls ask for the same. It is in no journal, so that a journal confirms no
 * guess about arguments. Proxies that share a run directory share a key: a call may be tried again through another one.
 */
import { randomBytes } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { HASH_KEY_BYTES, ToolquakeError } from '@toolquake/sdk/core';
import { makeWhole } from '../undo/whole-file.js';

/** The file of a run directory that holds its key, for its owner alone. */
export const OPERATION_KEY_FILE = '.operation-key';

/** A key that nobody else has. */
export const ownOperationKey = (): Uint8Array => randomBytes(HASH_KEY_BYTES);

/** The key of a run directory, made by whoever comes first. The folder must exist. */
export function sharedOperationKey(directory: string): Uint8Array {
  const path = join(directory, OPERATION_KEY_FILE);
  try {
    const known = keyIn(path);
    if (known !== undefined) return known;
    makeWhole(path, randomBytes(HASH_KEY_BYTES).toString('hex'));
    return keyIn(path)!;
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `The key of the run directory, ${path}, cannot be made or read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'Remove the file, or use a new folder that all proxies of the run may read and write.',
      cause,
    });
  }
}

/** Nobody needs the key once the proxies of a run are gone; without it, journals can be handed on. */
export function forgetOperationKey(directory: string): void {
  rmSync(join(directory, OPERATION_KEY_FILE), { force: true });
}

function keyIn(path: string): Uint8Array | undefined {
  let text: string;
  try {
    text = readFileSync(path, 'utf8').trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  if (!new RegExp(`^[0-9a-f]{${2 * HASH_KEY_BYTES}}$`).test(text)) throw new Error('it is no key');
  return Buffer.from(text, 'hex');
}
