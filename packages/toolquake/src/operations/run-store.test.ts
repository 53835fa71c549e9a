import { appendFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { acknowledgeRun, createRun, listRuns, newRunId, readRun, runsFolder } from './run-store.js';

const project = (): string => mkdtempSync(join(tmpdir(), 'toolquake-runs-'));
const HEAD = {
  v: 1,
  kind: 'experiment',
  atMs: 0,
  run: 'x',
  experiment: 'e',
  question: 'Q.',
  target: 'shop',
  environment: 'staging',
  startedAt: '2026-11-19T01:43:12.000Z',
  stage: 2,
  stages: 3,
  dose: 25,
  faultDigest: 'f',
  planDigest: 'p',
  isDryRun: false,
};
const END = { kind: 'verdict', atMs: 90_000, verdict: 'held', why: 'all held', isStopped: false };
const lines = (...entries: readonly object[]): string => entries.map((entry) => `${JSON.stringify(entry)}\n`).join('');

function withRun(root: string, second: number, text: string): string {
  const runId = newRunId('e', new Date(Date.UTC(2026, 10, 19, 1, 43, second)));
  writeFileSync(createRun(root, runId, 'id: e\n').journal, text);
  return runId;
}

test('an id sorts by time and can be said aloud', () => {
  expect(newRunId('block-database', new Date('2026-11-19T01:43:12Z'))).toMatch(/^20261119-014312-block-database-[0-9a-f]{4}$/);
});

test('a run is summed up from its journal', async () => {
  const root = project();
  expect(await listRuns(root)).toEqual([]);
  const runId = withRun(
    root,
    1,
    lines(
      HEAD,
      { kind: 'build', atMs: 1, build: 'shop 1' },
      { kind: 'sample', atMs: 2, sample: {} },
      { kind: 'finding', atMs: 3, name: 'missed-alert', detail: 'd' },
      { kind: 'finding', atMs: 3, name: 'toString' },
      END,
    ),
  );
  expect(await listRuns(root)).toEqual([
    {
      runId,
      experiment: 'e',
      question: 'Q.',
      target: 'shop',
      environment: 'staging',
      faultDigest: 'f',
      planDigest: 'p',
      build: 'shop 1',
      stage: 2,
      stages: 3,
      dose: 25,
      isDryRun: false,
      startedAt: HEAD.startedAt,
      verdict: 'held',
      why: 'all held',
      endedAt: '2026-11-19T01:44:42.000Z',
      isStopped: false,
      mttdMs: null,
      mttrMs: null,
      findings: [{ name: 'missed-alert', detail: 'd' }],
      acknowledged: undefined,
    },
  ]);
});

test('a journal without an end, or with a torn one, is a run that is unfinished', async () => {
  const root = project();
  withRun(root, 1, lines(HEAD));
  withRun(root, 2, lines(HEAD) + JSON.stringify(END).slice(0, 30));
  expect((await listRuns(root)).map(({ verdict, endedAt }) => [verdict, endedAt])).toEqual([
    ['unfinished', undefined],
    ['unfinished', undefined],
  ]);
});

test('empty folders, foreign folders and foreign files are passed over', async () => {
  const root = project();
  withRun(root, 1, lines({ kind: 'start', v: 1 }, { kind: 'end' }));
  createRun(root, newRunId('e', new Date(0)), 'id: e\n');
  mkdirSync(join(runsFolder(root), 'notes'));
  mkdirSync(join(runsFolder(root), '20261119-014312-e-0000', 'journal.jsonl'), { recursive: true });
  writeFileSync(join(runsFolder(root), 'README'), '');
  expect(await listRuns(root)).toEqual([]);
});

test('any bytes in a journal are tolerated', async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: 'binary' }), fc.string(), async (before, after) => {
      const root = project();
      withRun(root, 1, `${before}\n${lines(HEAD)}${after}\n${lines(END)}`);
      expect((await listRuns(root)).map(({ verdict }) => verdict)).toEqual(['held']);
    }),
    { numRuns: 50 },
  );
});

test('a run is found by the beginning of its id, or as the last one', async () => {
  const root = project();
  const [first, second] = [withRun(root, 1, lines(HEAD, END)), withRun(root, 2, lines(HEAD))];
  expect((await readRun(root, first)).text).toBe('id: e\n');
  expect((await readRun(root, '20261119-014302')).summary.runId).toBe(second);
  expect((await readRun(root, 'last')).summary.runId).toBe(second);
  await expect(readRun(root, '2026')).rejects.toThrow('"2026" is the beginning of 2 runs.');
  for (const hostile of ['nothing', '../runs', '', '/etc']) {
    if (hostile !== '') await expect(readRun(root, hostile)).rejects.toThrow('There is no run');
  }
});

test('an acknowledgement stands beside the journal, which stays as it was', async () => {
  const root = project();
  const runId = withRun(root, 1, lines(HEAD, END));
  const journal = join(runsFolder(root), runId, 'journal.jsonl');
  const before = readFileSync(journal, 'utf8');
  await acknowledgeRun(root, runId, 'ann', 'pager was muted', new Date('2026-11-20T00:00:00Z'));
  appendFileSync(join(runsFolder(root), runId, 'acknowledgements.jsonl'), '{"who":"to');
  expect((await listRuns(root))[0]?.acknowledged).toEqual({ who: 'ann', why: 'pager was muted', at: '2026-11-20T00:00:00.000Z' });
  expect(readFileSync(journal, 'utf8')).toBe(before);
  await expect(acknowledgeRun(root, runId, 'ann', ' ', new Date())).rejects.toThrow('needs to say why');
});

test('a run never takes the place of another, and never leaves its folder', () => {
  const root = project();
  const runId = newRunId('e', new Date());
  createRun(root, runId, '');
  expect(() => createRun(root, runId, '')).toThrow('cannot be written');
  for (const hostile of ['../../x', 'x', '', '20261119-014312-../x-3f9a'])
    expect(() => createRun(root, hostile, '')).toThrow('is no id of a run');
  expect(existsSync(join(root, 'x'))).toBe(false);
});
