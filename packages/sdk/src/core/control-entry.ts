/** What people did to a run while it went on, as the journal has it: rules that came and went, and where a task begins and ends. */

/** A rule as a start entry or a control entry lists it. */
export type ListedRule = {
  readonly id: string;
  readonly fault: string;
  /** Switched off in the plan, so nobody expects it to fire; absent when it is on. */
  readonly isEnabled?: false;
};

/** The rules at work were changed. Parameters are left out: they may hold what is nobody's business. */
export type ControlEntry = {
  readonly kind: 'control';
  readonly atMs: number;
  readonly what: 'inject' | 'clear' | 'clear-all' | 'expire' | 'reload' | 'kill' | 'revive';
  /** `time` where nobody asked: an injected rule came to its end. */
  readonly by: 'admin' | 'program' | 'time';
  /** Rules that came, or that say something else than before. */
  readonly added?: readonly ListedRule[];
  /** Ids of rules that went. */
  readonly removed?: readonly string[];
  /** How long an injected rule may live. */
  readonly lastsMs?: number;
  /** The seed of the new plan, where it is another one. */
  readonly seed?: number;
};

/** How a task ended, in the eyes of whoever said so. */
export type BoundaryOutcome = 'ok' | 'failed';

/** A task began or ended; the calls of this run in between are its own. */
export type BoundaryEntry = {
  readonly kind: 'boundary';
  readonly atMs: number;
  readonly task: string;
  readonly state: 'started' | 'ended';
  readonly outcome?: BoundaryOutcome;
};
