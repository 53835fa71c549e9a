// A check that cannot fail proves nothing: each rule is shown a violation, and an empty project.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { checkImports } from '../../scripts/checks/imports.mjs';

const DIRECTION = 'Imports point down: faces -> operations -> edges -> engines -> units -> core.';
const folders: string[] = [];

afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** The verdict on a small project that exists only for this test. */
async function verdictOn(files: Record<string, string>): Promise<{ seen: number; problems: string[] }> {
  const base = mkdtempSync(join(tmpdir(), 'toolquake-imports-'));
  folders.push(base);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  }
  return checkImports(base);
}

const sdk = 'packages/sdk/src';
const product = 'packages/toolquake/src';
const FRAME = { [`${sdk}/core/frame.ts`]: 'export const frame = 1;' };

test('accepts imports that point down', async () => {
  const verdict = await verdictOn({ ...FRAME, [`${sdk}/faults/latency.ts`]: `export { frame } from '../core/frame.js';` });
  expect(verdict).toEqual({ seen: 2, problems: [] });
});

test('fails when it saw no modules', async () => {
  const { problems } = await verdictOn({ 'packages/sdk/package.json': '{}' });
  expect(problems).toEqual([expect.stringContaining('No modules found')]);
});

test('fails when it saw modules but none of their imports', async () => {
  const { problems } = await verdictOn(FRAME);
  expect(problems).toEqual([expect.stringContaining('Not one import was seen')]);
});

test.each([
  ['core imports a unit', `${sdk}/core/a.ts`, '../faults/b.js', `${sdk}/faults/b.ts`, '(core -> units)'],
  ['a unit imports an edge', `${sdk}/faults/a.ts`, '../interceptors/b.js', `${sdk}/interceptors/b.ts`, '(units -> edges)'],
  ['an engine imports an edge', `${product}/simulator/a.ts`, '../config/b.js', `${product}/config/b.ts`, '(engines -> edges)'],
  ['an edge imports an operation', `${product}/proxies/a.ts`, '../operations/b.js', `${product}/operations/b.ts`, '(edges -> operations)'],
  ['an operation imports a face', `${product}/operations/a.ts`, '../cli/b.js', `${product}/cli/b.ts`, '(operations -> faces)'],
])('names the right direction when %s, even for a type', async (_, from, specifier, to, layers) => {
  const { problems } = await verdictOn({ [from]: `export type { b } from '${specifier}';`, [to]: 'export type b = 1;' });
  expect(problems).toEqual([expect.stringContaining(layers)]);
  expect(problems[0]).toContain(`${from} -> ${to}`);
  expect(problems[0]).toContain(DIRECTION);
});

test.each([
  ['node:http beside the HTTP codec', `${product}/proxies/http-lane.ts`, 'node:http', 'ask the codec'],
  ['a Node built-in in a pure layer', `${sdk}/faults/a.ts`, 'node:fs', 'core and units do no I/O'],
  ['the sdk by its path', `${product}/operations/a.ts`, '../../../sdk/src/core/frame.js', 'only by name ("@toolquake/sdk"'],
  ['the product from the sdk', `${sdk}/testing/a.ts`, '../../../toolquake/src/operations/b.js', 'dashboard -> toolquake -> sdk'],
  ['something that does not resolve', `${sdk}/interceptors/a.ts`, 'no-such-package', 'The import leads nowhere'],
  ['anything from a folder without a layer', `${product}/utils/a.ts`, '../operations/b.js', 'This folder is in no layer'],
  ['a test from the product', `${product}/operations/a.ts`, './c.test.js', 'never the other way round'],
])('refuses %s', async (_, from, specifier, advice) => {
  const { problems } = await verdictOn({
    ...FRAME,
    [`${product}/operations/b.ts`]: 'export const b = 1;',
    [`${product}/operations/c.test.ts`]: 'export const c = 1;',
    [from]: `import '${specifier}';`,
  });
  expect(problems).toEqual([expect.stringContaining(advice)]);
});

test('refuses a dependency in the sdk', async () => {
  const { problems } = await verdictOn({
    'packages/sdk/package.json': '{ "dependencies": { "left": "1.0.0" } }',
    'packages/sdk/node_modules/left/package.json': '{ "name": "left", "version": "1.0.0", "main": "index.js" }',
    'packages/sdk/node_modules/left/index.js': '',
    [`${sdk}/interceptors/a.ts`]: `import 'left';`,
  });
  expect(problems).toEqual([expect.stringContaining('brings nothing with it')]);
});

test('refuses a cycle, naming each step', async () => {
  const { problems } = await verdictOn({
    [`${sdk}/core/a.ts`]: `import './b.js';\nexport const a = 1;`,
    [`${sdk}/core/b.ts`]: `import './a.js';\nexport const b = 1;`,
  });
  expect(problems.join('\n')).toContain(`${sdk}/core/a.ts -> ${sdk}/core/b.ts -> ${sdk}/core/a.ts`);
});
