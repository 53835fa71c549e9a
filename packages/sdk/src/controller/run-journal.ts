/** The journal of a run: entries in memory or in a sink, listeners beside it, and an end after which nothing is written. */
import type { Cancel } from '../core/clock.js';
import type { JournalEntry, JournalSink } from '../core/journal.js';

/** See the module comment. */
export type RunJournal = {
  write(entry: JournalEntry): void;
  /** The entries so far; empty when they go to a sink. */
  readonly entries: readonly JournalEntry[];
  listen(sink: JournalSink): Cancel;
  /** Nothing is written any more. */
  close(): void;
};

/** Starts a journal. What a sink throws is told to `onProblem` and breaks nothing. */
export function createRunJournal(sink: JournalSink | undefined, onProblem: (error: unknown) => void): RunJournal {
  const entries: JournalEntry[] = [];
  const listeners = new Set<{ readonly sink: JournalSink }>([{ sink: sink ?? ((entry) => void entries.push(entry)) }]);
  let isClosed = false;
  return {
    write(entry) {
      if (isClosed) return;
      for (const listener of listeners) {
        try {
          listener.sink(entry);
        } catch (error) {
          onProblem(error);
        }
      }
    },
    entries,
    listen(given) {
      const listener = { sink: given };
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close() {
      isClosed = true;
    },
  };
}
