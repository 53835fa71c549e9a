/** What a finding is: a fault of behaviour that a journal shows. One file each in `findings/`, pure over the history of a run. */
import type { Experiment } from '../core/experiment.js';
import { FINDINGS, type FindingName, type RunEntry } from '../core/run-entry.js';
import type { RunHistory } from './history.js';

/** A number that decides whether something is found, with what it means. */
export type Threshold = readonly [value: number, about: string];

type Thresholds = Readonly<Record<string, Threshold>>;

/** See the module comment. */
export type Finding = {
  readonly name: FindingName;
  readonly summary: string;
  /** With it, nobody can say that the hypothesis held. P1 always does. */
  readonly contradicts: boolean;
  readonly thresholds: Thresholds;
  /** What was seen, in a sentence; undefined where nothing was. */
  find(history: RunHistory, experiment: Experiment): string | undefined;
};

/** An entry of the journal about a finding. */
export type FindingEntry = Extract<RunEntry, { readonly kind: 'finding' }>;

type Definition<Limits extends Thresholds> = Omit<Finding, 'find' | 'contradicts'> & {
  /** For P2: whether the file says the opposite. */
  readonly contradicts?: boolean;
  readonly thresholds: Limits;
  find(history: RunHistory, experiment: Experiment, limits: { readonly [Name in keyof Limits]: number }): string | undefined;
};

/** Defines a finding. */
export function defineFinding<const Limits extends Thresholds>({ name, contradicts = false, find, ...rest }: Definition<Limits>): Finding {
  // The names stay; each threshold becomes its number.
  const limits = Object.fromEntries(Object.entries(rest.thresholds).map(([key, [value]]) => [key, value])) as {
    [Name in keyof Limits]: number;
  };
  return {
    name,
    ...rest,
    contradicts: contradicts || FINDINGS[name][0] === 'P1',
    find: (history, experiment) => find(history, experiment, limits),
  };
}
