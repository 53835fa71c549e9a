/** What the engine asks of the world. Everything that waits, reads or changes is behind these. */
import type { Clock } from '@toolquake/sdk/core';
import type { ActionStep, Blast } from '../core/experiment.js';
import type { PreparedAction, PreparedStep } from '../core/prepared-action.js';
import type { RunEntry } from '../core/run-entry.js';
import type { TripRule } from '../core/sample.js';
import type { UndoOutcome } from '../core/undo-step.js';
import type { SampleBook } from './sample-book.js';

/** Something that must be true before anything is injected. */
export type Precondition = { readonly name: string; readonly isMet: boolean; readonly detail: string };

/** An action of the file as the engine drives it. `about` is one line for the timeline. */
export type RunAction = {
  readonly step: ActionStep;
  readonly blast: Blast;
  readonly about: string;
  /** The tripwires of its action; a rule of the file on the same signal and lane takes the place of one. */
  readonly trips?: readonly TripRule[] | undefined;
  prepare(): Promise<PreparedAction>;
};

/** Why the engine has to stop at once, whatever the tripwires say. `isAsked`: a person or a halt asked for it. */
export type StopReason = { readonly why: string; readonly isAsked: boolean };

/** See the module comment. */
export type EnginePorts = {
  /** Only for waiting; may be moved by tests. */
  readonly clock: Clock;
  /** Since the start of the run, monotonic. */
  nowMs(): number;
  /** Everything that was seen so far; the world outside adds to it. */
  readonly samples: SampleBook;
  readonly actions: readonly RunAction[];
  /** Appends to the journal. Must not throw. */
  record(entry: RunEntry): void;
  /** Everything that is in the journal so far, samples and alerts included: verdict and findings are made from it alone. */
  entries(): readonly RunEntry[];
  /** Looks at the world before the run: monitor, alert channel, process manager, truthful health, open P1 findings, policy. */
  preconditions(): Promise<readonly Precondition[]>;
  /** What the probes saw of the server: its build. Asked once the target is steady. */
  build(): Promise<string>;
  /** Undo intent on disk, then `apply`, then the note that it was applied. Rejects when the intent cannot be written: nothing was changed then. */
  perform(action: string, step: PreparedStep): Promise<void>;
  /** Undoes everything that is open, last in first out, each verified. Never rejects; ends within the deadline of the experiment. */
  undoAll(): Promise<readonly UndoOutcome[]>;
  /** Asked at every tick and before every change: stop requests, halts, a lost lock, a dead warden, environment turned production. */
  stopReason(): StopReason | undefined;
  /** Aborts when somebody stops the run from outside (Ctrl-C, stop request): the engine wakes up at once. */
  readonly signal: AbortSignal;
};
