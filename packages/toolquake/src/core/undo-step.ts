/** How a change of the world is taken back: plain data, so that whoever outlives the run can do it. */
import type { JsonObject } from '@toolquake/sdk/core';

/** What is to be done. `kind` is the word of a file in `undo/steps/`. Never holds a secret: names of variables instead. */
export type UndoStep = { readonly kind: string; readonly data: JsonObject };

/** How the world is, read anew. `gone`: what was changed does not exist any more, so there is nothing left to take back. */
export type UndoState = { readonly is: 'undone' | 'gone'; readonly proof: string } | { readonly is: 'not-undone'; readonly why: string };

/** Who undid it: the run itself, its warden, the sweep at the next start, or a person. */
export type UndoneBy = 'runner' | 'warden' | 'sweep' | 'person';

/** What came of one step. */
export type UndoOutcome = {
  readonly step: number;
  readonly action: string;
  readonly name: string;
  readonly state: UndoState;
  readonly tookMs: number;
  readonly by: UndoneBy;
};

/** What an undo needs of the world. Every undo is idempotent, asks nobody, and ends when the signal says so. */
export type UndoWorld = { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal };

/** One way of undoing; one file each in `undo/steps/`. */
export type UndoKind = {
  readonly kind: string;
  readonly summary: string;
  /** Takes the change back. Doing it twice, or after somebody else did, is no error and harms nobody. */
  undo(data: JsonObject, world: UndoWorld): Promise<void>;
  /** Reads the world anew; never believes `undo`. */
  verify(data: JsonObject, world: UndoWorld): Promise<UndoState>;
  /**
   * Whether it can also be undone from another host, or from another container: what was changed is reached by a name that
   * means the same there. Where this is missing it never can: the processes, chains and folders of another host are not ours.
   */
  isReachable?(data: JsonObject): boolean;
};

/** Defines a way of undoing. */
export const defineUndo = (kind: UndoKind): UndoKind => kind;
