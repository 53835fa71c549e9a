// What users would install, judged as packed: entry points exist, types resolve, nothing private slips in.
import '../require-node.mjs';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { run } from '../child.mjs';
import { root, tool } from '../folders.mjs';

const packed = join(root, '.cache/packed');
// Sources, tests and build state are ours; a package that carries them is bigger and says more than it promises.
const PRIVATE = /(^|\/)(src|node_modules)\/|\.test\.|\.tsbuildinfo$|(^|\/)tsconfig/;

async function pack(folder) {
  // dry-run no, scripts no: `prepare` belongs to the workspace and has already run.
  const { code, output } = await run(['npm', 'pack', '--json', '--silent', '--ignore-scripts', '--pack-destination', packed], {
    cwd: join(root, folder),
  });
  if (code !== 0) throw new Error(`npm pack failed in ${folder}:\n${output}`);
  // npm warnings may precede the JSON, which is an array (npm 11) or an object by package name (npm 12).
  const parsed = JSON.parse(output.slice(output.search(/^[[{]/m)));
  return Array.isArray(parsed) ? parsed[0] : Object.values(parsed)[0];
}

async function problemsOf(folder, { hasTypes }) {
  const { filename, files, unpackedSize } = await pack(folder);
  const tarball = join(packed, filename);
  const problems = files
    .filter((file) => PRIVATE.test(file.path))
    .map((file) => `${folder}: packs ${file.path}, which is not for users (see "files" in its package.json)`);
  const tools = [[tool('publint/src/cli.js'), 'run', '--strict', tarball]];
  // A package without importable entry points has no types to be wrong about.
  if (hasTypes) tools.push([tool('@arethetypeswrong/cli/dist/index.js'), '--profile', 'esm-only', '--no-emoji', tarball]);
  const results = await Promise.all(tools.map((argv) => run([process.execPath, ...argv])));
  for (const { code, output } of results) if (code !== 0) problems.push(`${folder}:\n${output.trim()}`);
  return { problems, line: `${folder}: ${files.length} files, ${Math.round(unpackedSize / 1000)} kB` };
}

rmSync(packed, { recursive: true, force: true });
mkdirSync(packed, { recursive: true });
const results = [await problemsOf('packages/sdk', { hasTypes: true }), await problemsOf('packages/toolquake', { hasTypes: false })];
const problems = results.flatMap((result) => result.problems);
console.log(problems.length === 0 ? results.map((result) => result.line).join('; ') : problems.join('\n'));
process.exitCode = problems.length === 0 ? 0 : 1;
