/**
 * The port between a run and its interceptors: an interceptor says where it stands and what its two ends can do, and gets
 * a performer that obeys the run's rules. Everything else (time, draws, journal, stopping) is the run's.
 */
import type { Clock } from '../core/clock.js';
import { whyNotOn, type Fault, type Phase, type Site, type TransportName } from '../core/fault.js';
import type { Ends, Performer } from '../core/perform.js';
import type { Plan } from '../core/plan.js';
import type { Era, Session } from '../core/session.js';

/** What an interceptor says of itself. */
export type AttachOptions = {
  readonly transport: TransportName;
  /** Name of what is behind it, for `when: { target }`. */
  readonly target?: string | undefined;
  /** Name of its sessions in draws and journal; by default the client's own name, else the target. */
  readonly label?: string | undefined;
  readonly ends: Ends;
  /** Why it cannot perform a fault (in this phase, where one is named) that its transport could, as a sentence. */
  readonly whyNot?: (fault: Fault, phase?: Phase) => string | undefined;
  /** Lets go of what the ends keep back (a frozen server goes on): on a kill, at the end, and when the rule that did it is gone. */
  readonly thaw?: () => void;
  /** Puts back what was patched. Called once, at the end. */
  readonly restore?: () => void;
};

/** An interceptor's hold on its run. */
export type Attachment = {
  /** False from the start under a guard, and after the end: everything passes, and nobody looks at it. */
  readonly isActive: boolean;
  readonly clock: Clock;
  readonly performer: Performer;
  /** The rules of now: those that were injected, then the plan's. */
  readonly plan: Plan;
  /** Starts a session of this site. Every session that was begun is ended with the attachment. */
  begin(options?: { readonly era?: Era | undefined }): Session;
  end(session: Session): void;
  /** Our own mistakes: journalled, and told to whoever listens. */
  problem(error: unknown): void;
  /** Ends it: what is held goes on, sessions are closed, patches put back. Twice is fine. */
  detach(): void;
};

/** Where an interceptor stands, as rules see it. */
export function siteOf({ transport, whyNot }: AttachOptions): Site {
  return { transport, whyNot: (fault, phase) => whyNotOn(fault, transport) ?? whyNot?.(fault, phase) };
}
