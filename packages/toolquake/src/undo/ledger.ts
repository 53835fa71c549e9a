/** What the run does with its ledger: the undo is on disk before the change is made. */
import type { UndoOutcome, UndoStep } from '../core/undo-step.js';

/** Where the run may be killed by a test: before, in the middle of, and after every line. */
export type FaultPoint = (name: string) => void;

/** An open ledger of one run. */
export type Ledger = {
  /** Writes the intent and waits until it is on disk. Rejects with `NOT_WRITABLE`: then nothing may be changed. Resolves to its number. */
  intend(action: string, name: string, undo: UndoStep): Promise<number>;
  /** The change was made. */
  applied(step: number): Promise<void>;
  /** Undoes what is open, last in first out, and writes what came of it. Shared with warden and sweep: whoever is first does it. */
  undoAll(): Promise<readonly UndoOutcome[]>;
  /** Everything is undone and the run is over. */
  close(): Promise<void>;
};
