/** What the run does with its ledger: the undo is on disk before the change is made. */
import type { UndoOutcome, UndoStep } from '../core/undo-step.js';

/** An open ledger of one run. */
export type Ledger = {
  readonly path: string;
  /** Writes the intent and waits until it is on disk. Rejects with `NOT_WRITABLE` or `STOPPED`: then nothing may be changed. Resolves to its number. */
  intend(action: string, name: string, undo: UndoStep): Promise<number>;
  /** The change was made. */
  applied(step: number): Promise<void>;
  /** Undoes what is open, last in first out, and writes what came of it. Shared with warden and sweep: whoever is first does it. */
  undoAll(): Promise<readonly UndoOutcome[]>;
  /** Why the run may change nothing any more: somebody took over, or its warden is gone. Reads the ledger anew. */
  lostTo(): string | undefined;
  /** The run is over. If everything is undone, nothing of it is left in the state folder; otherwise it stays a leftover. */
  close(): Promise<void>;
};
