// What `import '@toolquake/sdk'` costs a user: the root entry with everything it reaches, minified and gzipped.
import '../require-node.mjs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { rolldown } from 'rolldown';
import { root } from '../folders.mjs';

const LIMIT_BYTES = 15_000;

const foreign = new Set();
const build = await rolldown({
  input: join(root, 'packages/sdk/dist/index.js'),
  platform: 'browser',
  external: (id) => isBuiltin(id),
  // Nothing may be tree-shaken away: a user may use any export.
  preserveEntrySignatures: 'strict',
  onLog(level, log) {
    if (level === 'warn') foreign.add(log.message);
  },
});
const { output } = await build.generate({ format: 'esm', minify: true });
await build.close();

const chunks = output.filter((file) => file.type === 'chunk');
for (const chunk of chunks) {
  const own = new Set(chunks.map((other) => other.fileName));
  for (const id of [...chunk.imports, ...chunk.dynamicImports]) if (!own.has(id)) foreign.add(`it imports "${id}"`);
}
// Some globals are Node built-ins by another name; in a browser or an edge worker they are missing.
const code = chunks.map((chunk) => chunk.code).join('\n');
for (const name of ['Buffer', 'process'])
  if (new RegExp(`(?<![.\\w'"\`])${name}\\.`).test(code)) foreign.add(`it uses the Node global "${name}"`);

const bytes = chunks.reduce((sum, chunk) => sum + gzipSync(chunk.code, { level: 9 }).length, 0);
const size = `${(bytes / 1000).toFixed(1)} kB of ${LIMIT_BYTES / 1000} kB`;
const problems = [...foreign].map((what) => `The sdk's root entry must run anywhere, without Node: ${what}.`);
if (bytes === 0) problems.push('The bundle is empty: nothing was measured.');
if (bytes > LIMIT_BYTES)
  problems.push(
    `The sdk's root entry grew to ${size} gzipped. Move what not everybody needs to a subpath (faults, resilience, interceptors).`,
  );
console.log(problems.length === 0 ? size : problems.join('\n'));
process.exitCode = problems.length === 0 ? 0 : 1;
