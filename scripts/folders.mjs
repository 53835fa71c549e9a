// Where things are, and which files exist. One walk for every script, so that they agree on what "all files" means.
import { existsSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, wherever it was cloned. */
export const root = fileURLToPath(new URL('..', import.meta.url));

const SKIPPED = new Set(['node_modules', 'dist', 'coverage', 'temp', '.git', '.cache', '.toolquake']);

/** Every source file below `folder` (nothing generated, nothing installed), as paths relative to `base`, sorted. */
export function filesBelow(folder, base = root) {
  const start = join(base, folder);
  if (!existsSync(start)) return [];
  const found = [];
  const visit = (directory) => {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      const path = join(directory, entry.name);
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) visit(path);
      else if (entry.isFile()) found.push(relative(base, path).split(sep).join('/'));
    }
  };
  visit(start);
  return found.sort();
}

/** The entry script of an installed development tool, to be run with `process.execPath`: no shell, no lookup. */
export function tool(path) {
  return join(root, 'node_modules', path);
}
