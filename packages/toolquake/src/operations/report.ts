/** Journals from disk to a digest. What is no entry is left out and told; what is no journal at all is refused. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { ToolquakeError, type JournalEntry } from '@toolquake/sdk/core';
import { readEntry } from '../reporters/digest/read-entry.js';
import { createDigest, type Digest, type JournalDigest } from '../reporters/journal-digest.js';
import { readLines, sizeOf } from './journal-lines.js';
import { journalsIn } from './run-directory.js';

/** What is read. */
export type ReportOptions = {
  /** Journals, and folders of journals. */
  readonly paths: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Share of the bytes that were read. */
  readonly onProgress?: ((done: number) => void) | undefined;
};

/** Reads one journal or several into one digest. */
export async function digestJournals({ paths: given, signal, onProgress }: ReportOptions): Promise<Digest> {
  const files = inOrder(
    given.flatMap((path): readonly JournalPath[] =>
      isDirectory(path) ? journalsIn(path).map((file) => ({ path: file, isOneOfMany: true })) : [{ path, isOneOfMany: false }],
    ),
  );
  const sizes = files.map(({ path }) => sizeOf(path));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const digest = createDigest();
  let before = 0;
  for (const [index, file] of files.entries()) {
    await readOne(file, digest, { signal, onBytes: (bytes) => onProgress?.(total === 0 ? 1 : Math.min(1, (before + bytes) / total)) });
    before += sizes[index] ?? 0;
  }
  return digest.result();
}

type JournalPath = { readonly path: string; readonly isOneOfMany: boolean };

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;

/** By the wall clock, so that the order in which files are named changes nothing. What has no time (a simulation) stays in front. */
function inOrder(files: readonly JournalPath[]): readonly JournalPath[] {
  const timed = files.map((file) => ({ file, startedAt: startOf(file.path) }));
  timed.sort((a, b) => {
    if (a.startedAt !== b.startedAt) return a.startedAt < b.startedAt ? -1 : 1;
    return a.startedAt === '' || a.file.path === b.file.path ? 0 : a.file.path < b.file.path ? -1 : 1;
  });
  return timed.map(({ file }) => file);
}

/** A start entry is not longer than this, unless its plan is a monster; then its place is in front. */
const MAX_START_BYTES = 256 * 1024;

function startOf(path: string): string {
  if (sizeOf(path) === 0) return '';
  const descriptor = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(MAX_START_BYTES);
    const text = bytes.toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_START_BYTES, 0));
    return /"startedAt":"([^"]*)"/.exec(text)?.[1] ?? '';
  } finally {
    closeSync(descriptor);
  }
}

async function readOne(
  { path, isOneOfMany }: JournalPath,
  digest: JournalDigest,
  { signal, onBytes }: { signal: AbortSignal | undefined; onBytes: (bytes: number) => void },
): Promise<void> {
  let hasStarted = false;
  let firstProblem: { where: string; problem: string } | undefined;
  /** A bad line that may turn out to be the last one of a killed run. */
  let suspect: { where: string; problem: string } | undefined;

  const skip = (line: { where: string; problem: string }): void => {
    firstProblem ??= line;
    if (hasStarted) digest.skip(line);
  };
  const add = (entry: JournalEntry, where: string): void => {
    if (suspect !== undefined && hasStarted) {
      if (entry.kind === 'start') digest.tear();
      else skip(suspect);
      suspect = undefined;
    }
    // What a task's wrapper saw stands for itself.
    hasStarted ||= entry.kind === 'start' || entry.kind === 'task';
    if (!hasStarted) skip({ where, problem: 'it comes before the start of any run' });
    else if (!digest.add(entry)) skip({ where, problem: 'it belongs to no run that was going on' });
  };

  await readLines(
    path,
    {
      onBytes,
      onLine(text, number) {
        const where = `${path}:${number}`;
        if (text?.trim() === '') return;
        const reading = text === undefined ? ({ is: 'bad', problem: 'it is too long' } as const) : readEntry(withoutMark(text, number));
        if (reading.is === 'entry') return add(reading.entry, where);
        if (reading.is === 'other-version') throw noJournal(where, reading.problem);
        if (reading.is === 'unknown') return;
        const bad = { where, problem: reading.problem };
        // Only the line right before a start, or the last one, may be torn.
        if (suspect !== undefined) skip(suspect);
        suspect = undefined;
        if (hasStarted) suspect = bad;
        else skip(bad);
      },
    },
    signal,
  );
  // In a run directory, a process that was killed at once may have left next to nothing.
  if (!hasStarted && isOneOfMany) return digest.tear();
  if (!hasStarted) throw noJournal(firstProblem?.where ?? path, firstProblem?.problem ?? 'there is nothing in it');
  if (suspect !== undefined) digest.tear();
}

/** Editors and shells on Windows put a byte order mark in front. */
function withoutMark(text: string, number: number): string {
  return number === 1 ? text.replace(/^\ufeff/, '') : text;
}

function noJournal(where: string, problem: string): ToolquakeError {
  return new ToolquakeError('BAD_SYNTAX', {
    message: `${where} is no journal that can be reported: ${problem}.`,
    advice: 'A journal begins with a "start" entry of version 1, one JSON object per line: what "--journal FILE" writes.',
  });
}
