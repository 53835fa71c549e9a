/** The words in docs/golden.md are those of the matchers. Refresh them with UPDATE=1. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { readFixtures } from '../../packages/toolquake/src/config/load-fixtures.js';
import { isStable, MATCHERS } from '../../packages/toolquake/src/gates/golden/catalogue.js';

const page = path.resolve(import.meta.dirname, '../../docs/golden.md');
const [START, END] = [/<!-- words:[^>]*-->\n/, '<!-- end of words -->'] as const;

/** The example as a file holds it, with something stable beside it. */
const exampleOf = (word: string, example: string) =>
  readFixtures(`fixtures:\n  - tool: t\n    expect:\n      hash: sha256:${'0'.repeat(64)}\n      ${word}: ${example}\n`, word)[0]!.expect;

const rows = MATCHERS.map(({ word, spelling = word, example, field }) => {
  const expectation = spelling === 'hash' ? { hash: example } : exampleOf(spelling, example);
  const { hash: _, ...alone } = expectation;
  const isEnough = isStable(spelling === 'hash' ? expectation : alone);
  return `| \`${spelling}\` | ${isEnough ? 'yes' : ''} | ${field.about} | \`${spelling}: ${example.replaceAll('|', '\\|')}\` |`;
});

test('the table of words in the documents is that of the matchers, and its examples load', () => {
  const text = readFileSync(page, 'utf8');
  const head = START.exec(text)!;
  const table = `\n| word | enough | means | example |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n\n`;
  const made = text.slice(0, head.index + head[0].length) + table + text.slice(text.indexOf(END));
  if (process.env['UPDATE'] === '1') writeFileSync(page, made);
  expect(readFileSync(page, 'utf8')).toBe(made);
});

test('the file in the documents loads', () => {
  const example = /```yaml\n([^]*?)```/.exec(readFileSync(page, 'utf8'))![1]!;
  expect(readFixtures(example, 'docs/golden.md')).toMatchObject([{ name: 'finds shoes', owner: 'team-search' }]);
});
