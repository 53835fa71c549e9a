/** What happened besides calls: changes from outside, control of a running proxy, marks, and marks in an order that has a name. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { clipped, createBoundedMap } from './bounded-map.js';

type Entry<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { kind: Kind }>;

/** A stretch in which the world was disturbed; without an end when nothing put it back. */
export type Disturbance = {
  readonly what: string;
  readonly from: string;
  readonly to: string;
  readonly sinceMs: number;
  readonly untilMs: number | undefined;
};

/** A moment worth a label. */
export type Moment = {
  readonly atMs: number;
  readonly label: string;
  readonly kind: 'mark' | 'sequence' | 'control';
  readonly sinceMs: number;
};

/** What one run saw, as far as a plot can show it. */
export type Happenings = { readonly disturbances: readonly Disturbance[]; readonly moments: readonly Moment[] };

const MAX_PER_RUN = 60;

/** Collects the happenings of one run. */
export type HappeningsOfRun = {
  addChange(entry: Entry<'change'>): void;
  addMark(entry: Entry<'mark'>): void;
  addSequence(entry: Entry<'sequence'>): void;
  /** Somebody changed the rules, in these words. */
  addControl(atMs: number, words: string): void;
  result(): Happenings;
};

/** Nothing happened yet. */
export function startHappenings(): HappeningsOfRun {
  const disturbances: { what: string; from: string; to: string; sinceMs: number; untilMs: number | undefined }[] = [];
  const moments: Moment[] = [];
  const addMoment = (moment: Moment): void => {
    if (moments.length < MAX_PER_RUN) moments.push(moment);
  };
  return {
    addChange({ atMs, what, from, to, isDisturbed }) {
      // A further step of the same disturbance ends the one before.
      for (const one of disturbances) if (one.what === clipped(what)) one.untilMs ??= atMs;
      if (!isDisturbed || disturbances.length >= MAX_PER_RUN) return;
      disturbances.push({ what: clipped(what), from: clipped(String(from)), to: clipped(String(to)), sinceMs: atMs, untilMs: undefined });
    },
    addMark: ({ atMs, mark, where }) => addMoment({ atMs, label: clipped(`${mark} (${where})`), kind: 'mark', sinceMs: atMs }),
    addSequence: ({ atMs, sequence, sinceMs }) => addMoment({ atMs, label: clipped(sequence), kind: 'sequence', sinceMs }),
    addControl: (atMs, words) => addMoment({ atMs, label: clipped(words), kind: 'control', sinceMs: atMs }),
    result: () => ({ disturbances, moments }),
  };
}

/** A named order of marks, over all runs of a label. */
export type SequenceRecord = {
  readonly label: string;
  readonly sequence: string;
  readonly marks: readonly string[];
  readonly runs: number;
  readonly firstAtMs: number;
};

/** A kind of mark at a place, over all runs of a label. */
export type MarkRecord = {
  readonly label: string;
  readonly mark: string;
  readonly where: string;
  readonly count: number;
  readonly firstAtMs: number;
};

/** Counts marks and sequences over runs. */
export type MomentBook = {
  addMark(label: string, entry: Entry<'mark'>): void;
  addSequence(label: string, run: number, entry: Entry<'sequence'>): void;
  marks(): readonly MarkRecord[];
  sequences(): readonly SequenceRecord[];
};

const MAX_KINDS = 100;

/** An empty book. */
export function createMomentBook(): MomentBook {
  const marks = createBoundedMap(MAX_KINDS, () => ({ label: '', mark: '', where: '', count: 0, firstAtMs: Infinity }));
  const sequences = createBoundedMap(MAX_KINDS, () => ({
    label: '',
    sequence: '',
    marks: [] as readonly string[],
    runs: 0,
    lastRun: -1,
    firstAtMs: Infinity,
  }));
  return {
    addMark(label, { mark, where, atMs }) {
      const record = marks.at(JSON.stringify([label, mark, where]));
      if (record.count === 0) Object.assign(record, { label, mark: clipped(mark), where: clipped(where) });
      record.count++;
      record.firstAtMs = Math.min(record.firstAtMs, atMs);
    },
    addSequence(label, run, entry) {
      const record = sequences.at(JSON.stringify([label, entry.sequence]));
      if (record.runs === 0) {
        Object.assign(record, { label, sequence: clipped(entry.sequence), marks: entry.marks.slice(0, 20).map(clipped) });
      }
      if (record.lastRun !== run) record.runs++;
      record.lastRun = run;
      record.firstAtMs = Math.min(record.firstAtMs, entry.atMs);
    },
    marks: () => marks.entries().map(([, record]) => record),
    sequences: () =>
      sequences
        .entries()
        .map(([, { label, sequence, marks: steps, runs, firstAtMs }]) => ({ label, sequence, marks: steps, runs, firstAtMs })),
  };
}
