import { randomBytes } from 'node:crypto';
import { linkSync, rmSync, writeFileSync } from 'node:fs';

/** Makes a file for its owner alone, unless somebody was quicker. It appears with all of its content, or not at all. */
export function writeOnce(path: string, text: string): void {
  const draft = `${path}-${process.pid}-${randomBytes(8).toString('hex')}`;
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  try {
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}
