/** The journal of an experiment from disk to a digest. What is no entry is left out and told; what is no such journal is refused. */
import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { readRunEntry } from '../reporters/run/read-run-entry.js';
import { createRunDigest, type RunDigest } from '../reporters/run/run-digest.js';
import { readLines, sizeOf } from './journal-lines.js';
import { RUN_FILES } from './run-store.js';

/** Reads the journal. */
export async function digestRunJournal(path: string, signal?: AbortSignal, onProgress?: (done: number) => void): Promise<RunDigest> {
  const digester = createRunDigest();
  const size = sizeOf(path);
  let hasEntry = false;
  let suspect: { where: string; problem: string } | undefined;
  await readLines(
    path,
    {
      onBytes: (bytes) => onProgress?.(size === 0 ? 1 : Math.min(1, bytes / size)),
      onLine(text, number, hasEnd) {
        const where = `line ${number}`;
        if (text?.trim() === '') return;
        const reading =
          text === undefined
            ? ({ is: 'bad', problem: 'it is too long' } as const)
            : readRunEntry(number === 1 ? text.replace(/^\ufeff/, '') : text);
        if (reading.is === 'other-version') throw noJournal(`${path}:${number}`, reading.problem);
        if (suspect !== undefined) digester.skip(suspect);
        suspect = undefined;
        if (reading.is === 'entry') {
          hasEntry = true;
          digester.add(reading.entry);
        } else if (reading.is === 'bad' && hasEnd) digester.skip({ where, problem: reading.problem });
        else if (reading.is === 'bad') suspect = { where, problem: reading.problem };
      },
    },
    signal,
  );
  // Only the last line can be torn, and only it has no end.
  if (suspect !== undefined) digester.tear();
  if (!hasEntry) throw noJournal(path, 'there is no entry of a run in it');
  return digester.result();
}

/** The first entry of a journal is not longer than this. */
const MAX_FIRST_BYTES = 64 * 1024;

/** The journal of a run that a path means: such a file, or the folder of a run. Undefined: it is something else. */
export function runJournalAt(path: string): string | undefined {
  const journal = statSync(path, { throwIfNoEntry: false })?.isDirectory() === true ? join(path, RUN_FILES.journal) : path;
  if (statSync(journal, { throwIfNoEntry: false })?.isFile() !== true) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync(journal, 'r');
  } catch {
    // Whoever reads it next says why it cannot be read.
    return undefined;
  }
  try {
    const bytes = Buffer.alloc(MAX_FIRST_BYTES);
    const [first = ''] = bytes
      .toString('utf8', 0, readSync(descriptor, bytes, 0, MAX_FIRST_BYTES, 0))
      .replace(/^\ufeff/, '')
      .split('\n');
    const reading = readRunEntry(first);
    const isRun =
      (reading.is === 'entry' && reading.entry.kind === 'experiment') || (reading.is !== 'unknown' && /"kind":\s*"experiment"/.test(first));
    return isRun ? journal : undefined;
  } finally {
    closeSync(descriptor);
  }
}

function noJournal(where: string, problem: string): ToolquakeError {
  return new ToolquakeError('BAD_SYNTAX', {
    message: `${where} is no journal of an experiment that can be reported: ${problem}.`,
    advice: 'Name the folder of a run below .toolquake/runs/, or the journal.jsonl in it.',
  });
}
