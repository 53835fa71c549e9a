/** A row of the catalogue of findings. */
import type { Level } from '../level.js';

/** What a kind of change means, and what to do about it. */
export type FindingRow = {
  /** The worst first. Two levels where a change is bad in two ways. */
  readonly levels: readonly Level[];
  /** What happened, as a sentence without its subject's name. */
  readonly says: string;
  /** What to do; none for what is harmless. */
  readonly advice?: string;
};

/** A row with one level or two. */
export const row = (levels: Level | readonly Level[], says: string, advice?: string): FindingRow => ({
  levels: typeof levels === 'string' ? [levels] : levels,
  says,
  ...(advice === undefined ? {} : { advice }),
});
