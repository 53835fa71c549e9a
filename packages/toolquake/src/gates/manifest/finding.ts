/** One finding of a diff, and how findings are collected. */
import { createHash } from 'node:crypto';
import { canonicalText } from './canonical.js';
import { FINDINGS, type FindingId } from './findings/catalogue.js';
import { pointerOf, type Level, type Steps } from './level.js';

/** A change that somebody may want to know about. */
export type Finding = {
  readonly id: FindingId;
  /** The worst first. */
  readonly levels: readonly Level[];
  /** What it is about, for people: `tool search`. */
  readonly subject: string;
  /** Where, in the new lock, or in the old one when it is gone there. */
  readonly pointer: string;
  readonly before?: unknown;
  readonly after?: unknown;
  readonly says: string;
  readonly detail?: string;
  readonly advice?: string;
  /** The same for the same change, whatever else changes: a waiver can be bound to it. */
  readonly fingerprint: string;
};

/** What a finding says besides its row. */
export type FindingParts = { readonly before?: unknown; readonly after?: unknown; readonly detail?: string | undefined };

/** Collects findings about one subject. */
export type Teller = (id: FindingId, steps: Steps, parts?: FindingParts) => void;

/** A finding with all that its row knows. */
export function findingOf(id: FindingId, subject: string, steps: Steps, { before, after, detail }: FindingParts = {}): Finding {
  // Every id is a row: the catalogue's own type says so.
  const { levels, says, advice } = FINDINGS.get(id)!;
  const pointer = pointerOf(steps);
  const fingerprint = createHash('sha256')
    .update(canonicalText([id, pointer, before ?? null, after ?? null]))
    .digest('hex')
    .slice(0, 16);
  return {
    id,
    levels,
    subject,
    pointer,
    ...(before === undefined ? {} : { before }),
    ...(after === undefined ? {} : { after }),
    says,
    ...(detail === undefined ? {} : { detail }),
    ...(advice === undefined ? {} : { advice }),
    fingerprint,
  };
}
