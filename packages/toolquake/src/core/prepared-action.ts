/** A step of an experiment that is ready to be done: what it would hit, what it changes, and how each change is taken back. Types only. */
import type { UndoStep } from './undo-step.js';

/** Can it be done here? `how` says by which means, `act` what would make it possible. */
export type Feasibility =
  | { readonly isFeasible: true; readonly how: string }
  | { readonly isFeasible: false; readonly why: string; readonly act: string };

/** Was it seen to work, at the receiver? */
export type EffectProof = { readonly isInEffect: boolean; readonly proof: string };

/** One change of the world. Its undo is on disk before `apply` is called; `apply` is called once. */
export type PreparedStep = {
  /** `reject connections to 127.0.0.1:5432`. */
  readonly name: string;
  readonly undo: UndoStep | undefined;
  apply(): Promise<void>;
};

/** An action that is ready: nothing was changed yet. */
export type PreparedAction = {
  /** What would be hit, a line each. */
  readonly hits: readonly string[];
  /** In order; undone the other way round. */
  readonly steps: readonly PreparedStep[];
  /** Looks from outside whether the change works. Asked again until it says yes or its time is over. */
  verifyEffect(): Promise<EffectProof>;
  /** The effect can be seen until the undo, so it is looked at again when its time is over. */
  readonly isLasting?: true;
  /** Lets go of what only the preparation needed. Never undoes. Called once, whatever happened. */
  release(): Promise<void>;
};
