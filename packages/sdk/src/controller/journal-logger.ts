/** What a run does, told to a logger: `run.listen(journalLogger(logger))`. */
import type { JournalEntry, JournalSink } from '../core/journal.js';

/** A logger in the manner of pino, whose own fit directly: what it is about, then the text. */
export type Logger = {
  debug(about: object, text: string): void;
  info(about: object, text: string): void;
  warn(about: object, text: string): void;
  error(about: object, text: string): void;
};

/** Faults are warnings, problems are errors, calls are for debugging; all else is information. */
export function journalLogger(logger: Logger): JournalSink {
  return (entry) => logger[levelOf(entry)](entry, textOf(entry));
}

function levelOf({ kind }: JournalEntry): keyof Logger {
  if (kind === 'fault') return 'warn';
  if (kind === 'problem') return 'error';
  return kind === 'call' ? 'debug' : 'info';
}

function textOf(entry: JournalEntry): string {
  switch (entry.kind) {
    case 'fault':
      return `fault ${entry.fault} of rule ${entry.rule}: ${entry.state}`;
    case 'control':
      return `rules: ${entry.what} by ${entry.by}`;
    case 'call':
      return `call of ${entry.tool ?? entry.method}: ${entry.outcome}`;
    case 'problem':
      return entry.message;
    default:
      return `run: ${entry.kind}`;
  }
}
