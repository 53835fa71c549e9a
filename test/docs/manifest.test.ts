/** docs/manifest-changes.md is made from the table that the diff itself reads. Refresh it with UPDATE=1. */
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { FINDINGS } from '../../packages/toolquake/src/gates/manifest/findings/catalogue.js';
import { LEVELS } from '../../packages/toolquake/src/gates/manifest/level.js';

const page = path.resolve(import.meta.dirname, '../../docs/manifest-changes.md');

function pageText(): string {
  const scopes = new Map<string, string[]>();
  for (const [id, { levels, says, advice }] of FINDINGS) {
    const [scope = ''] = id.split('.');
    const row = `| \`${id}\` | ${levels.map((level) => LEVELS[level].letter).join(' ')} | ${says} | ${advice ?? ''} |`;
    scopes.set(scope, [...(scopes.get(scope) ?? []), row]);
  }
  return [
    '# Changes of a manifest',
    '',
    'Every finding of `toolquake diff` ([manifest.md](manifest.md)). This page is made from the table that the diff itself reads (`UPDATE=1 npx vitest run --project live test/docs/manifest.test.ts`).',
    '',
    '| level | | means |',
    '| --- | --- | --- |',
    ...Object.entries(LEVELS).map(([level, { letter, about }]) => `| ${letter} | ${level} | ${about} |`),
    ...[...scopes].flatMap(([scope, rows]) => [
      '',
      `## ${scope}`,
      '',
      '| finding | level | what happened | what to do |',
      '| --- | --- | --- | --- |',
      ...rows,
    ]),
    '',
  ].join('\n');
}

test('the list of findings in the documents is that of the diff', () => {
  if (process.env['UPDATE'] === '1') writeFileSync(page, pageText());
  expect(readFileSync(page, 'utf8')).toBe(pageText());
});
