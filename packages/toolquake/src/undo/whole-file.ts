/** Files that are there whole, or not at all. */
import { closeSync, fsyncSync, linkSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { dirname, join } from 'node:path';

/** Makes a file with all that it is to hold. False when somebody else made it first; throws where it cannot be made. */
export function makeWhole(path: string, text: string): boolean {
  const draft = join(dirname(path), `draft-${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
    const descriptor = openSync(draft, 'r');
    try {
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    linkSync(draft, path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
