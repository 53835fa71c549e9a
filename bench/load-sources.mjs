// Bundles sources as the product does and loads them: a bench needs no build, and never measures an old one.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';

const source = (path) => fileURLToPath(new URL(`../packages/${path}`, import.meta.url));
const ENTRY = '\0entry';

/** Everything that the files (below packages/) export, as one module. */
export async function loadSources(paths) {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-bench-'));
  const build = await rolldown({
    input: { sources: ENTRY },
    platform: 'node',
    resolve: {
      alias: {
        '@toolquake/sdk/core': source('sdk/src/core/index.ts'),
        '@toolquake/sdk/faults': source('sdk/src/faults/index.ts'),
        '@toolquake/sdk/resilience': source('sdk/src/resilience/index.ts'),
        '@toolquake/sdk': source('sdk/src/index.ts'),
      },
    },
    plugins: [
      {
        name: 'entry',
        resolveId: (id) => (id === ENTRY ? id : undefined),
        load: (id) => (id === ENTRY ? paths.map((path) => `export * from ${JSON.stringify(source(path))};`).join('\n') : undefined),
      },
    ],
  });
  await build.write({ dir: folder, format: 'esm', entryFileNames: '[name].mjs' });
  await build.close();
  try {
    return await import(pathToFileURL(join(folder, 'sources.mjs')).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
