/** Runs and what they have in common: labels, seeds, eras, guards. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { clipped } from './bounded-map.js';

type Start = Extract<JournalEntry, { kind: 'start' }>;

/** One run. */
export type RunRecord = {
  readonly number: number;
  /** What its entries carry; undefined for older journals and simulations. */
  readonly id: string | undefined;
  readonly label: string;
  readonly transport: string;
  readonly seed: number;
  readonly startedAt: string | undefined;
  readonly guarded: string | undefined;
  /** When a call is too late, by the plan. */
  readonly deadlineMs: number | undefined;
  /** On the run's own clock: its end, or the last entry of a run that was killed. */
  readonly lastMs: number;
  readonly hasEnded: boolean;
  readonly calls: number;
};

/** All runs. `list` holds the first ones; the counts are about all. */
export type Runs = {
  readonly count: number;
  readonly unfinished: number;
  readonly list: readonly RunRecord[];
  readonly labels: readonly string[];
  readonly transports: readonly string[];
  readonly eras: readonly string[];
  /** Distinct seeds, the first ones in order. */
  readonly seeds: {
    readonly count: number;
    readonly hasMore: boolean;
    readonly first: readonly number[];
    readonly low: number;
    readonly high: number;
  };
  /** Why nothing was injected, where that was so. */
  readonly guarded: readonly string[];
};

/** A run while it is read. */
export type GrowingRun = { -readonly [Key in keyof RunRecord]: RunRecord[Key] };

const MAX_RUNS = 500;
const MAX_SEEDS = 10_000;
const MAX_NAMES = 50;

/** Collects runs. */
export type RunBook = { start(entry: Start): GrowingRun; end(run: GrowingRun): void; seeEra(era: string): void; result(): Runs };

/** An empty book. */
export function createRunBook(): RunBook {
  const list: GrowingRun[] = [];
  const names = { labels: new Set<string>(), transports: new Set<string>(), eras: new Set<string>(), guarded: new Set<string>() };
  const seeds = new Set<number>();
  let hasMoreSeeds = false;
  let count = 0;
  let ended = 0;
  const note = (set: Set<string>, text: string): void => {
    if (set.size < MAX_NAMES) set.add(clipped(text));
  };
  return {
    start({ target, transport, seed, startedAt, guarded, deadlineMs, run: id }) {
      count++;
      const label = clipped(target ?? transport);
      note(names.labels, label);
      note(names.transports, transport);
      if (guarded !== undefined) note(names.guarded, guarded);
      if (seeds.size < MAX_SEEDS) seeds.add(seed);
      else hasMoreSeeds ||= !seeds.has(seed);
      const run = { number: count, id, label, transport, seed, startedAt, guarded, deadlineMs, lastMs: 0, hasEnded: false, calls: 0 };
      if (list.length < MAX_RUNS) list.push(run);
      return run;
    },
    end(run) {
      run.hasEnded = true;
      ended++;
    },
    seeEra: (era) => note(names.eras, era),
    result() {
      const sorted = [...seeds].sort((a, b) => a - b);
      return {
        count,
        unfinished: count - ended,
        list: inTime(list),
        labels: [...names.labels],
        transports: [...names.transports],
        eras: [...names.eras],
        seeds: { count: seeds.size, hasMore: hasMoreSeeds, first: sorted.slice(0, 20), low: sorted[0] ?? 0, high: sorted.at(-1) ?? 0 },
        guarded: [...names.guarded],
      };
    },
  };
}

/** By the wall clock, whatever file they were read from; what has none (a simulation) stays in front and in order. */
function inTime(runs: readonly RunRecord[]): readonly RunRecord[] {
  const keyOf = ({ startedAt, id }: RunRecord): string => (startedAt === undefined ? '' : `${startedAt} ${id ?? ''}`);
  const sorted = runs.toSorted((a, b) => (keyOf(a) === keyOf(b) ? 0 : keyOf(a) < keyOf(b) ? -1 : 1));
  return sorted.map((run, index) => ({ ...run, number: index + 1 }));
}
