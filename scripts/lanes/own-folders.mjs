// Packages that only one lane needs, each set in a folder with its own package.json and lock: they never touch what we publish.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { root } from '../folders.mjs';
import { SetupFailure } from './setup-failure.mjs';

/** Installs what the lock of each folder says; a folder that already has exactly that costs nothing. */
export async function provideOwnFolders(folders) {
  for (const folder of folders) {
    const at = join(root, folder);
    // `npm ci` removes node_modules first, so the stamp inside is there only after an install that went through.
    const stamp = join(at, 'node_modules/.installed-lock');
    const lock = createHash('sha256')
      .update(readFileSync(join(at, 'package-lock.json')))
      .digest('hex');
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === lock) continue;
    console.log(`Installing ${folder}`);
    const install = ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'];
    const { code, output } = await run(install, { cwd: at, budgetMs: 300_000 });
    if (code !== 0)
      throw new SetupFailure(
        `Installing the packages of ${folder} failed:\n${output.trim()}`,
        `Try it by hand in that folder: ${install.join(' ')}`,
      );
    writeFileSync(stamp, lock);
  }
}
