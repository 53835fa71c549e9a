// Every promise of test/promises.ts is cited by a test or an example, and docs/safety.md says by which. Refresh it with UPDATE=1.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { promises } from '../promises.js';
import { filesBelow } from '../../scripts/folders.mjs';

const root = path.resolve(import.meta.dirname, '../..');
const page = path.join(root, 'docs/safety.md');

/** "invariant 7", "invariants 8 and 10", "invariants 1, 2 and 3": in the name of a test, or in the first words of an example. */
const CITED = /\binvariants? (\d+(?:(?:, | and )\d+)*)/gi;

const cites = new Map<number, Set<string>>();
for (const folder of ['packages', 'test', 'examples']) {
  for (const file of filesBelow(folder).filter((one) => /(\.test\.ts|^examples\/.*\/main\.mjs)$/.test(one))) {
    if (file === 'test/architecture/promises.test.ts') continue;
    for (const [, numbers] of readFileSync(path.join(root, file), 'utf8').matchAll(CITED)) {
      for (const number of numbers!.match(/\d+/g) ?? []) {
        const files = cites.get(Number(number)) ?? new Set();
        cites.set(Number(number), files.add(file));
      }
    }
  }
}

test('every promise about safety is cited by a test, or says what shows it', () => {
  const uncited = promises.filter(({ number, elsewhere }) => elsewhere === undefined && !cites.has(number));
  expect(uncited.map(({ number, promise }) => `invariant ${number}: ${promise}`)).toEqual([]);
});

test('no test cites a promise that nobody made', () => {
  const known = new Set(promises.map(({ number }) => number));
  expect([...cites.keys()].filter((number) => !known.has(number))).toEqual([]);
});

test('the page about safety names the tests', () => {
  const rows = promises.map(({ number, promise, elsewhere }) => {
    const files = [...(cites.get(number) ?? [])].toSorted().map((file) => `[${path.basename(file)}](../${file})`);
    return `| ${number} | ${promise} | ${[...files, ...(elsewhere === undefined ? [] : [elsewhere])].join(', ')} |`;
  });
  const text = readFileSync(page, 'utf8');
  const start = text.indexOf('\n', text.indexOf('<!-- promises:')) + 1;
  const made = `${text.slice(0, start)}\n| | promise | shown by |\n| --- | --- | --- |\n${rows.join('\n')}\n\n${text.slice(text.indexOf('<!-- end of promises -->'))}`;
  if (process.env['UPDATE'] === '1') writeFileSync(page, made);
  expect(readFileSync(page, 'utf8')).toBe(made);
});
