/** Small files that several processes share: made whole or not at all, and read without waiting for anybody. */
import { closeSync, constants, fstatSync, fsyncSync, linkSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
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

const MAX_BYTES = 1024 * 1024;

/** The text of a file. Throws for anything else that has its name: a pipe there would keep "stop" waiting for ever. */
export function readWhole(path: string): string {
  const descriptor = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const status = fstatSync(descriptor);
    if (!status.isFile() || status.size > MAX_BYTES) throw new Error(`${path} is no file of ours`);
    return readFileSync(descriptor, 'utf8');
  } finally {
    closeSync(descriptor);
  }
}
