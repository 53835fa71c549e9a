/** Builds the driver once per test file: real processes need real programs, and Node 20 reads no TypeScript. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown } from 'rolldown';

/** Resolves to the folder with `runner.js`, `warden.js` and `sweeper.js`. */
export async function buildDriver(): Promise<string> {
  const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
  const build = await rolldown({
    input: { runner: here('runner.ts'), warden: here('warden.ts'), sweeper: here('sweeper.ts') },
    platform: 'node',
    logLevel: 'silent',
  });
  const dir = mkdtempSync(join(tmpdir(), 'toolquake-driver-'));
  await build.write({ dir, format: 'esm', entryFileNames: '[name].js' });
  await build.close();
  return dir;
}
