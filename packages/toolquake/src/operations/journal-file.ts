/**
 * The journal on disk: JSONL, appended in whole lines, so that a killed run loses its last moments and nothing else.
 * Two processes may append to one file (some clients start a server command twice): lines never mix.
 */
import { closeSync, existsSync, fstatSync, openSync, readSync, rmSync, write } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { journalLine, ToolquakeError, type JournalEntry, type JournalSink } from '@toolquake/sdk/core';

/** A disk that cannot keep up must not grow our memory: beyond this, entries are dropped and counted. */
const MAX_BUFFERED_CHARACTERS = 32 * 1024 * 1024;

/** A file of lines. `append` never throws and never waits; `close` resolves when everything is on its way to disk. */
export type LineFile<Entry> = {
  readonly append: (entry: Entry) => void;
  /** Resolves when everything appended so far is written: for a producer that is faster than the disk and must lose nothing. */
  drain(): Promise<void>;
  /** Why nothing is written any more; undefined while all is well. */
  failure(): ToolquakeError | undefined;
  close(): Promise<void>;
  /** Leaves no trace of a run that never started: the file goes too, if it is ours and empty. */
  abandon(): void;
};

/** An open journal. */
export type JournalFile = LineFile<Parameters<JournalSink>[0]>;

/** What the lines of a file are. */
export type LineFormat<Entry> = {
  /** Names the file in messages: `The journal`. */
  readonly title: string;
  /** The text of an entry, with its end. */
  readonly lineOf: (entry: Entry) => string;
  /** The line that stands for entries that were lost. */
  readonly droppedLine: (count: number) => string;
};

/** Opens (or creates) a journal for appending. Throws before anything was started when that is not possible. */
export function openJournal(path: string, onProblem: (message: string) => void): JournalFile {
  return openLines(path, onProblem, {
    title: 'The journal',
    lineOf: journalLine,
    droppedLine: (count) =>
      journalLine({ kind: 'problem', atMs: 0, message: `${count} journal entries were dropped: the disk is too slow` }),
  });
}

/** Opens (or creates) a file of lines for appending. */
export function openLines<Entry>(path: string, onProblem: (message: string) => void, format: LineFormat<Entry>): LineFile<Entry> {
  const { title, lineOf, droppedLine } = format;
  const isNew = !existsSync(path);
  const descriptor = openForAppending(path, title);
  let waiting: string[] = startsWithTornLine(descriptor) ? ['\n'] : [];
  let waitingCharacters = 0;
  let dropped = 0;
  let isWriting = false;
  let isBroken = false;
  let failure: ToolquakeError | undefined;
  let whenIdle: (() => void)[] = [];

  const settle = (): void => {
    isWriting = false;
    const callbacks = whenIdle;
    whenIdle = [];
    for (const callback of callbacks) callback();
  };

  const writeAll = (bytes: Buffer, from: number): void => {
    write(descriptor, bytes, from, bytes.length - from, null, (error, written) => {
      if (error !== null) {
        isBroken = true;
        waiting = [];
        const message = `${title} ${path} stopped: ${error.message}`;
        failure = new ToolquakeError('NOT_WRITABLE', { message, advice: 'Make room there, or name another file.', cause: error });
        onProblem(message);
        return settle();
      }
      if (from + written < bytes.length) return writeAll(bytes, from + written);
      next();
    });
  };

  const next = (): void => {
    if (dropped > 0) {
      waiting.push(droppedLine(dropped));
      dropped = 0;
    }
    if (waiting.length === 0) return settle();
    const text = waiting.join('');
    waiting = [];
    waitingCharacters = 0;
    writeAll(Buffer.from(text), 0);
  };

  const drain = async (): Promise<void> => {
    if (isWriting) await new Promise<void>((resolve) => whenIdle.push(resolve));
  };

  return {
    append(entry) {
      if (isBroken) return;
      if (waitingCharacters > MAX_BUFFERED_CHARACTERS) {
        dropped++;
        return;
      }
      const line = lineOf(entry);
      waiting.push(line);
      waitingCharacters += line.length;
      if (isWriting) return;
      isWriting = true;
      // One write for all entries of this turn of the event loop.
      setImmediate(next);
    },
    drain,
    failure: () => failure,
    async close() {
      await drain();
      isBroken = true;
      closeSync(descriptor);
    },
    abandon() {
      isBroken = true;
      const isEmpty = fstatSync(descriptor).size === 0;
      closeSync(descriptor);
      if (isNew && isEmpty) rmSync(path, { force: true });
    },
  };
}

function openForAppending(path: string, title: string): number {
  try {
    return openSync(path, 'a+');
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `${title} ${path} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'Name a file in an existing folder that you may write to.',
      cause,
    });
  }
}

/** A run that was killed may have left half a line; ours must not be glued to it. */
function startsWithTornLine(descriptor: number): boolean {
  const status = fstatSync(descriptor);
  if (!status.isFile() || status.size === 0) return false;
  const last = Buffer.alloc(1);
  readSync(descriptor, last, 0, 1, status.size - 1);
  return last[0] !== 0x0a;
}

/** Reads a journal. A torn line is forgiven where a run may have been killed: at the end, or before the next run's start. */
export async function readJournal(path: string): Promise<readonly JournalEntry[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    throw new ToolquakeError('UNREADABLE', {
      message: `The journal ${path} cannot be read: ${cause instanceof Error ? cause.message : String(cause)}.`,
      cause,
    });
  }
  return parseJournal(text, path);
}

/** The entries of a journal's text; `path` is for messages. */
export function parseJournal(text: string, path: string): readonly JournalEntry[] {
  const entries: JournalEntry[] = [];
  let tornAt: number | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const entry = parseEntry(line);
    if (tornAt !== undefined && entry?.kind !== 'start') throw badLine(path, tornAt);
    tornAt = entry === undefined ? index + 1 : undefined;
    if (entry !== undefined) entries.push(entry);
  }
  return entries;
}

function parseEntry(line: string): JournalEntry | undefined {
  try {
    const value: unknown = JSON.parse(line);
    const isEntry = typeof value === 'object' && value !== null && 'kind' in value && typeof value.kind === 'string';
    // Our own file: the kind tells the rest, and readers ignore kinds that they do not know.
    return isEntry ? (value as JournalEntry) : undefined;
  } catch {
    return undefined;
  }
}

function badLine(path: string, line: number): ToolquakeError {
  return new ToolquakeError('BAD_SYNTAX', {
    message: `${path}:${line} is not a journal entry.`,
    advice: 'A journal has one JSON object with a "kind" per line. Was the file edited, or is it something else?',
  });
}
