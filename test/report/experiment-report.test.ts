/** `toolquake runs`, `runs show`, `runs acknowledge` and `report` on journals of experiments, as people run them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { RunEntry } from '../../packages/toolquake/src/core/run-entry.js';
import { hostileRun, runJournal, STORIES, type RunStory } from '../../packages/toolquake/src/reporters/fixtures/run-journals.js';
import { createDesk, type Desk } from '../cli/harness.js';

const linesOf = (entries: readonly RunEntry[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

/** A folder with runs in it, as `toolquake run` leaves them. */
function deskWith(stories: readonly RunStory[], torn = ''): Desk {
  const desk = createDesk();
  for (const story of stories) {
    const entries = runJournal(story);
    const folder = join(desk.folder, '.toolquake', 'runs', entries[0]!.kind === 'experiment' ? entries[0]!.run : 'none');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'journal.jsonl'), linesOf(entries) + torn);
  }
  return desk;
}

test('lists runs with verdict, figures and findings, the newest last', async () => {
  const desk = deskWith(Object.values(STORIES));
  const { code, stdout, stderr } = await desk.run(['runs']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const lines = stdout.trimEnd().split('\n');
  expect(lines).toHaveLength(7);
  expect(lines[0]).toMatch(/^run +experiment +target +stage +dose +verdict +started +MTTD +MTTR +findings$/);
  expect(lines[1]).toMatch(/block-database-7f3a +block-database +shop +1\/3 +10 % +held +2026-11-19 10:15:00Z +10.9 s +n\/a$/);
  expect(lines[2]).toMatch(/violated .* n\/a +n\/a +P1 missed-alert, P1 silent-empty, P2 slow-recovery$/);
  const json = JSON.parse((await desk.run(['runs', '--json'])).stdout) as {
    version: number;
    runs: { verdict: string; mttdMs: number | null }[];
  };
  expect(json.version).toBe(1);
  expect(json.runs.map(({ verdict }) => verdict)).toEqual(['held', 'violated', 'aborted', 'undo-failed', 'not-injected', 'inconclusive']);
  expect(json.runs[1]?.mttdMs).toBeNull();
});

test('says so when there are none', async () => {
  const desk = createDesk();
  expect((await desk.run(['runs'])).stdout).toBe('There are no runs here yet. "toolquake run FILE" makes one.\n');
  const shown = await desk.run(['runs', 'show']);
  expect(shown.code).toBe(2);
  expect(shown.stderr).toContain('There are no runs here yet.');
});

test('shows the newest run, or the one that an id begins with, in every format', async () => {
  const desk = deskWith([STORIES.held, STORIES.violated]);
  expect((await desk.run(['runs', 'show'])).stdout).toContain('VIOLATED');
  const held = await desk.run(['runs', 'show', '20261119-1015']);
  expect(held).toMatchObject({ code: 0, stderr: '' });
  expect(held.stdout).toMatch(/HELD +Every rule held/);
  expect((await desk.run(['runs', 'show', 'last', '--format', 'markdown'])).stdout).toMatch(/^## ❌ Violated: block-database\n/);
  expect((await desk.run(['runs', 'show', 'last', '--format', 'junit'])).stdout).toContain('name="P1 missed-alert"><failure');
  expect(JSON.parse((await desk.run(['runs', 'show', 'last', '--json'])).stdout)).toMatchObject({
    version: 1,
    verdict: 'violated',
    disagreements: [],
  });
  expect(await desk.run(['runs', 'show', 'last', '--format', 'html', '--out', 'run.html'])).toMatchObject({ code: 0, stdout: '' });
  expect(readFileSync(join(desk.folder, 'run.html'), 'utf8')).toContain('<h1>block-database<small>');
  expect((await desk.run(['runs', 'show', '2026'])).stderr).toContain('"2026" is the beginning of 2 runs.');
});

test('a report never overwrites the journal that it is made from', async () => {
  const desk = deskWith([STORIES.held]);
  const journal = join('.toolquake', 'runs', '20261119-101500-block-database-7f3a', 'journal.jsonl');
  const before = readFileSync(join(desk.folder, journal), 'utf8');
  for (const argv of [
    ['runs', 'show', 'last', '--out', journal],
    ['report', journal, '--out', journal],
    ['report', journal, '--html', 'a', '--out', 'a'],
  ]) {
    const run = await desk.run(argv);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain('is named twice');
  }
  expect(readFileSync(join(desk.folder, journal), 'utf8')).toBe(before);
});

test('report reads such a journal, or the folder of a run, and ends as the run did', async () => {
  const codes = { held: 0, violated: 1, aborted: 1, 'undo-failed': 6, 'not-injected': 4, inconclusive: 5 } as const;
  for (const [name, story] of Object.entries(STORIES)) {
    const desk = deskWith([story]);
    const folder = join('.toolquake', 'runs', String(story.about.run ?? '20261119-101500-block-database-7f3a'));
    const run = await desk.run(['report', folder, '--html', 'page.html', '--format', 'markdown']);
    expect([name, run.code, run.stderr]).toEqual([name, codes[name as keyof typeof codes], '']);
    expect(run.stdout).toContain('### Undo proof');
    expect(readFileSync(join(desk.folder, 'page.html'), 'utf8')).toContain('Undo proof');
  }
});

test('no report ends well because its last line says so', async () => {
  const undo = {
    kind: 'undo',
    atMs: 190_000,
    id: 'cut',
    name: 'chain',
    state: 'not-undone',
    proof: 'still there',
    tookMs: 1,
    by: 'sweep',
  } as const;
  const trip = runJournal(STORIES.aborted).find((entry) => entry.kind === 'trip')!;
  for (const [entry, code] of [
    [undo, 6],
    [trip, 1],
  ] as const) {
    const desk = createDesk({ 'run.jsonl': linesOf([...runJournal(STORIES.held), entry]) });
    const run = await desk.run(['report', 'run.jsonl']);
    expect(run.code).toBe(code);
    expect(run.stdout).toContain('The verdict is told as held; the journal shows');
  }
});

test('several journals, one of them of an experiment, are refused', async () => {
  const desk = createDesk({ 'a.jsonl': linesOf(runJournal(STORIES.held)), 'b.jsonl': linesOf(runJournal(STORIES.held)) });
  const run = await desk.run(['report', 'a.jsonl', 'b.jsonl']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('reported by itself');
});

test('a killed run is unfinished: what is torn or foreign is left out and told', async () => {
  const entries = runJournal(STORIES.held);
  const during = entries.slice(
    0,
    entries.findIndex((entry) => entry.kind === 'phase' && entry.phase === 'undo'),
  );
  const desk = createDesk({ 'run.jsonl': `${linesOf(during)}\u0000\u0000 no JSON\n{"kind":"later"}\n{"kind":"undo","atMs":1` });
  const run = await desk.run(['report', 'run.jsonl']);
  expect(run.code).toBe(5);
  expect(run.stdout).toMatch(/UNFINISHED +The journal ends after 2 min 1 s in the middle of a line/);
  const json = JSON.parse((await desk.run(['report', 'run.jsonl', '--json'])).stdout) as { isTorn: boolean; skipped: unknown };
  expect(json.isTorn).toBe(true);
  expect(json.skipped).toEqual({ list: [{ where: `line ${during.length + 1}`, problem: 'it is not JSON' }], count: 1 });
});

test('a journal of a later version is refused', async () => {
  const desk = createDesk({ 'run.jsonl': linesOf(runJournal(STORIES.held)).replace('"v":1', '"v":9') });
  const run = await desk.run(['report', 'run.jsonl']);
  expect(run.code).toBe(2);
  expect(run.stderr).toContain('it is a journal of version 9, not 1');
});

test('P1 findings are acknowledged with a reason and a name, and stay in the list', async () => {
  const desk = deskWith([STORIES.held, STORIES.violated]);
  expect((await desk.run(['runs', 'acknowledge', 'last'])).code).toBe(2);
  const empty = await desk.run(['runs', 'acknowledge', 'last', '--why', ' ']);
  expect(empty.code).toBe(2);
  const done = await desk.run(['runs', 'acknowledge', 'last', '--why', 'The alert rule watches /health now.'], { TOOLQUAKE_USER: 'ada' });
  expect(done).toMatchObject({ code: 0, stderr: '' });
  expect(done.stdout).toBe(
    '20261119-103000-block-database-91bc: missed-alert, silent-empty acknowledged by ada. It blocks no further run.\n',
  );
  expect((await desk.run(['runs'])).stdout).toContain('(acknowledged by ada)');
  expect((await desk.run(['runs', 'acknowledge', '20261119-1015', '--why', 'x'])).stdout).toContain('has no P1 finding');
});

test('what a hostile journal says stays text on a terminal', async () => {
  const text = linesOf(hostileRun('\u001b[2J\u001b]0;pwned\u0007\r\nrm -rf'));
  const desk = createDesk({ 'run.jsonl': text });
  const run = await desk.run(['report', 'run.jsonl'], { NO_COLOR: '1' });
  // eslint-disable-next-line no-control-regex -- escape sequences are what this looks for
  expect(run.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
});
