/** docs/experiment-reports.md shows real output, and names every key of the JSON. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { runJournal, STORIES } from '../../packages/toolquake/src/reporters/fixtures/run-journals.js';
import { createDesk, type Desk } from '../cli/harness.js';

const path = resolve(import.meta.dirname, '../../docs/experiment-reports.md');
const document = readFileSync(path, 'utf8');
const blocks = [...document.matchAll(/<!-- output: toolquake (.+?) -->\n\n?```[a-z]*\n([\s\S]*?)```/g)].map(
  ([, command = '', text = '']) => ({
    command,
    text,
  }),
);

/** A folder with one run of each end. */
function deskWithRuns(): Desk {
  const desk = createDesk();
  for (const story of Object.values(STORIES)) {
    const entries = runJournal(story);
    const folder = join(desk.folder, '.toolquake', 'runs', entries[0]?.kind === 'experiment' ? entries[0].run : '');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'journal.jsonl'), entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  }
  return desk;
}

test('has output blocks', () => {
  expect(blocks.map(({ command }) => command)).toEqual(['runs show 20261119-1030', 'runs']);
});

test.each(blocks)('shows what "toolquake $command" prints', async ({ command, text }) => {
  const { stdout, stderr, code } = await deskWithRuns().run(command.split(' '), { NO_COLOR: '1' });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(text).toBe(stdout);
});

test('names every key of the JSON', async () => {
  const { stdout } = await deskWithRuns().run(['runs', 'show', 'last', '--json']);
  const keys = Object.keys(JSON.parse(stdout) as object);
  expect(keys.filter((key) => !document.includes(`\`${key}\``))).toEqual([]);
});
