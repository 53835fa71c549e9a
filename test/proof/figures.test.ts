/** The page about transparency shows the numbers that the proof asserts. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientFigures, serverFigures, type Figures } from './figures.js';

const page = readFileSync(new URL('../../docs/transparency.md', import.meta.url), 'utf8');
const row = (what: string, { words, scenarios, passed, failed }: Figures): string =>
  `| ${what} | \`${words.join(' ')}\` | ${scenarios} | ${passed} | ${failed} | 0 | 0 |`;

test('docs/transparency.md has one row for each run of the suite, with its numbers', () => {
  const rows = page.split('\n').filter((line) => /^\| (?:server|client) \| `/.test(line));
  expect(rows).toEqual([...serverFigures.map((figures) => row('server', figures)), row('client', clientFigures)]);
});
