import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { journalLine, type JournalEntry } from '@toolquake/sdk/core';
import { openJournal, parseJournal, readJournal } from './journal-file.js';

const folder = mkdtempSync(join(tmpdir(), 'toolquake-journal-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const start: JournalEntry = { v: 1, kind: 'start', atMs: 0, transport: 'stdio', seed: 1, rules: [] };
const problem = (message: string): JournalEntry => ({ kind: 'problem', atMs: 1, message });
const noProblem = (message: string): never => {
  throw new Error(message);
};

test('what was appended is read back in order, over several runs', async () => {
  const path = join(folder, 'order.jsonl');
  const expected: JournalEntry[] = [];
  for (let run = 0; run < 2; run++) {
    const journal = openJournal(path, noProblem);
    for (const entry of [start, ...Array.from({ length: 500 }, (_, index) => problem(`${run}/${index} ✓`))]) {
      journal.append(entry);
      expected.push(entry);
    }
    await journal.close();
  }
  expect(await readJournal(path)).toEqual(expected);
});

test('two writers of one file never mix their lines', async () => {
  const path = join(folder, 'two.jsonl');
  const writers = [openJournal(path, noProblem), openJournal(path, noProblem)];
  for (let index = 0; index < 300; index++) {
    for (const writer of writers) writer.append(problem(`${index}`.repeat(200)));
    if (index % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await Promise.all(writers.map((writer) => writer.close()));
  expect(await readJournal(path)).toHaveLength(600);
});

test('a torn last line is forgiven, and the next run starts on a line of its own', async () => {
  const path = join(folder, 'torn.jsonl');
  writeFileSync(path, `${journalLine(start)}{"kind":"call","atMs":1,"outc`);
  expect(await readJournal(path)).toEqual([start]);
  const journal = openJournal(path, noProblem);
  journal.append(start);
  await journal.close();
  expect(await readJournal(path)).toEqual([start, start]);
});

test('a broken line in the middle is an error with its position', () => {
  expect(() => parseJournal(`${journalLine(start)}oops\n${journalLine(problem('x'))}`, 'run.jsonl')).toThrow(
    'run.jsonl:2 is not a journal entry.',
  );
});

test('a journal that cannot be opened is refused at once, with its name', () => {
  expect(() => openJournal(join(folder, 'no', 'such', 'x.jsonl'), noProblem)).toThrow(/x\.jsonl cannot be written/);
  expect(() => openJournal(folder, noProblem)).toThrow(/cannot be written/);
});

test('a run that never started leaves no file, and leaves an older one alone', () => {
  const fresh = join(folder, 'fresh.jsonl');
  openJournal(fresh, noProblem).abandon();
  expect(existsSync(fresh)).toBe(false);
  const old = join(folder, 'old.jsonl');
  writeFileSync(old, journalLine(start));
  openJournal(old, noProblem).abandon();
  expect(readFileSync(old, 'utf8')).toBe(journalLine(start));
});

test('a full disk ends the journal with one word, and never the traffic', async () => {
  const told: string[] = [];
  const journal = openJournal('/dev/full', (message) => told.push(message));
  for (let round = 0; round < 3; round++) {
    journal.append(problem('x'));
    await new Promise((resolve) => setImmediate(resolve));
  }
  await journal.close();
  expect(told).toEqual([expect.stringMatching(/\/dev\/full stopped: ENOSPC/)]);
});

// A device that is always full exists on Linux alone.
test.runIf(existsSync('/dev/full'))('a journal that breaks later tells it once and keeps why', async () => {
  const told: string[] = [];
  const journal = openJournal('/dev/full', (message) => told.push(message));
  expect(journal.failure()).toBeUndefined();
  for (let index = 0; index < 2; index++) {
    journal.append(problem('x'));
    await journal.drain();
  }
  expect(told).toEqual([expect.stringContaining('The journal /dev/full stopped: ENOSPC')]);
  expect(journal.failure()).toMatchObject({ code: 'NOT_WRITABLE', message: told[0] });
  await journal.close();
});
