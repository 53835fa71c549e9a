/** Journals from disk to a digest. What is no entry is left out and told; what is no journal at all is refused. */
import { ToolquakeError, type JournalEntry } from '@toolquake/sdk/core';
import { readEntry } from '../reporters/digest/read-entry.js';
import { createDigest, type Digest, type JournalDigest } from '../reporters/journal-digest.js';
import { readLines, sizeOf } from './journal-lines.js';

/** What is read. */
export type ReportOptions = {
  readonly paths: readonly string[];
  readonly signal?: AbortSignal | undefined;
  /** Share of the bytes that were read. */
  readonly onProgress?: ((done: number) => void) | undefined;
};

/** Reads one journal or several into one digest. */
export async function digestJournals({ paths, signal, onProgress }: ReportOptions): Promise<Digest> {
  const sizes = paths.map(sizeOf);
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const digest = createDigest();
  let before = 0;
  for (const [index, path] of paths.entries()) {
    await readOne(path, digest, { signal, onBytes: (bytes) => onProgress?.(total === 0 ? 1 : Math.min(1, (before + bytes) / total)) });
    before += sizes[index] ?? 0;
  }
  return digest.result();
}

async function readOne(
  path: string,
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
    hasStarted ||= entry.kind === 'start';
    if (!hasStarted || !digest.add(entry)) skip({ where, problem: 'it comes before the start of any run' });
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
