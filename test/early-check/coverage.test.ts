/** docs/transports.md is true: what it names exists, and nothing of the catalogue is left out. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { catalogueRows } from './catalogue-rows.js';
import { coverageCells, coverageDocument } from './coverage-table.js';
import { scenarios } from './scenarios.js';
import { catalogue } from './stages.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const cells = coverageCells(scenarios, catalogue);
const names = new Set([...scenarios.map(({ name }) => name), ...catalogue.keys()]);

test('docs/transports.md says what these tests show, for every fault of the catalogue', () => {
  const file = join(root, 'docs/transports.md');
  const document = coverageDocument(scenarios, catalogue);
  if (process.env['UPDATE'] === '1') writeFileSync(file, document);
  expect(readFileSync(file, 'utf8'), 'regenerate with: UPDATE=1 npx vitest run test/early-check/coverage').toBe(document);
});

test('every cell names a test or gives a reason in a sentence', () => {
  for (const { row, column, tests, why } of cells)
    expect(tests.length > 0 || (why !== undefined && /^[A-Z`].+\.$/.test(why)), `${row}, ${column}: ${why}`).toBe(true);
});

// Loads every test file in a process of its own: 15 s alone, three times that on a machine with other things to do.
test('every test that a cell names exists', { timeout: 180_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'coverage-'));
  const file = join(folder, 'tests.json');
  const command = [join(root, 'node_modules/vitest/vitest.mjs'), 'list', 'test/early-check', `--json=${file}`];
  await promisify(execFile)(process.execPath, command, { cwd: root });
  const known = new Set((JSON.parse(readFileSync(file, 'utf8')) as { name: string }[]).map(({ name }) => name));
  rmSync(folder, { recursive: true });
  expect(cells.flatMap(({ tests }) => tests).filter((name) => !known.has(name))).toEqual([]);
});

test('every row of the fault catalogue is shown by something that exists, or says why it is not, and never both', () => {
  expect(new Set(catalogueRows.map(({ row }) => row)).size).toBe(catalogueRows.length);
  for (const { row, shownBy, why } of catalogueRows) {
    expect((shownBy === undefined) !== (why === undefined), row).toBe(true);
    if (why !== undefined) expect(why, row).toMatch(/^[A-Z].+\.$/);
    if (shownBy !== undefined) expect(shownBy, row).not.toEqual([]);
    expect(
      (shownBy ?? []).filter((name) => !names.has(name)),
      row,
    ).toEqual([]);
  }
});

test('what a row says about parameters is true of the faults that it names', () => {
  const faultOf = new Map(scenarios.map(({ name, fault }) => [name, fault]));
  for (const { row, shownBy, how } of catalogueRows) {
    const params = (shownBy ?? []).flatMap((name) => Object.entries(catalogue.get(faultOf.get(name) ?? name)!.params));
    const choices = new Map(params.map(([name, spec]) => [name, spec.kind === 'oneOf' ? spec.choices : undefined]));
    const words = new Set([...choices.keys(), ...[...choices.values()].flatMap((some) => some ?? []), ...names]);
    for (const [, code] of (how ?? '').matchAll(/`([^`]+)`/g)) {
      const [word, value] = code!.split(': ') as [string, string | undefined];
      // Parts of rules, and methods: the plan checks those.
      if (/^(phase$|when\.|at\.|\w+\/)/.test(word)) continue;
      expect(words, `${row}: ${code}`).toContain(word);
      if (value !== undefined) expect(choices.get(word) ?? [value], `${row}: ${code}`).toContain(value);
    }
  }
});
