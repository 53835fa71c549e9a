// Import rules between folders (the table in .dependency-cruiser.mjs). A cruise that saw nothing finds nothing, so the
// files it saw are compared with the files on disk: with a wrong TypeScript it once said "no violations (0 modules)".
import '../require-node.mjs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { cruise } from 'dependency-cruiser';
import configuration, { layers } from '../../.dependency-cruiser.mjs';
import { filesBelow, root } from '../folders.mjs';

const layerOf = (path) => layers.find((layer) => layer.folders.includes(/^packages\/[^/]+\/src\/([^/]+)\//.exec(path)?.[1]))?.name;

/** One violation as a person would tell it: which layer reached where, and the right direction. */
function describe({ rule, from, to, cycle }) {
  const { comment } = configuration.forbidden.find((candidate) => candidate.name === rule.name);
  const [source, target] = [layerOf(from), layerOf(to)];
  const what = source !== undefined && target !== undefined && source !== target ? ` (${source} -> ${target})` : '';
  const path = cycle === undefined ? to : cycle.map((step) => step.name).join(' -> ');
  return `${rule.name}: ${from} -> ${path}${what}\n  ${comment}`;
}

/** Judges every source below `packages/` of `base`. `problems` is empty when all is well. */
export async function checkImports(base = root) {
  const onDisk = filesBelow('packages', base).filter((file) => /^packages\/[^/]+\/src\/.*\.ts$/.test(file));
  if (onDisk.length === 0)
    return { seen: 0, problems: [`No modules found below ${join(base, 'packages')}: nothing was checked, so nothing passed.`] };
  const { output } = await cruise(onDisk, {
    ...configuration.options,
    baseDir: base,
    ruleSet: { forbidden: configuration.forbidden },
    validate: true,
  });
  const seen = new Set(output.modules.map((module) => module.source));
  const unseen = onDisk.filter((file) => !seen.has(file));
  const problems = output.summary.violations.map(describe);
  if (unseen.length > 0) problems.push(`${unseen.length} of ${onDisk.length} modules were not seen, so not checked (first: ${unseen[0]}).`);
  // Seeing a file is not enough: without a TypeScript that it can load, the cruiser sees files but none of their imports.
  if (!output.modules.some((module) => module.dependencies.length > 0))
    problems.push('Not one import was seen: is TypeScript 6 installed as "typescript"?');
  return { seen: onDisk.length, problems };
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const { seen, problems } = await checkImports();
  console.log(problems.length === 0 ? `${seen} modules` : problems.join('\n'));
  process.exitCode = problems.length === 0 ? 0 : 1;
}
