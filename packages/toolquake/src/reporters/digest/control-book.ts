/** What people did to runs while they went on: rules that came and went, the kill switch, and tasks that began and ended. */
import type { BoundaryEntry, ControlEntry } from '@toolquake/sdk/core';
import { addToSample, clipped, createCounter, type Sample, type TextCount } from './bounded-map.js';

/** One change. */
export type ControlRecord = {
  readonly run: number;
  readonly label: string;
  readonly atMs: number;
  readonly what: ControlEntry['what'] | 'task started' | 'task ended';
  readonly by: ControlEntry['by'];
  /** Ids of rules that came and went, the first ones; or the name of the task. */
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly lastsMs: number | undefined;
};

/** The first changes in order, how many there were, and how often each kind. */
export type ControlRecords = { readonly list: readonly ControlRecord[]; readonly count: number; readonly kinds: readonly TextCount[] };

const MAX_LISTED = 200;
const MAX_NAMES = 20;

/** Collects them. Both return the words for a timeline. */
export type ControlBook = {
  addControl(entry: ControlEntry, run: { readonly number: number; readonly label: string }): string;
  addBoundary(entry: BoundaryEntry, run: { readonly number: number; readonly label: string }): string;
  result(): ControlRecords;
};

/** An empty book. */
export function createControlBook(): ControlBook {
  const sample: Sample<ControlRecord> = { values: [], seen: 0 };
  const kinds = createCounter(20);
  const add = (record: ControlRecord): string => {
    kinds.add(record.what);
    addToSample(sample, record, MAX_LISTED);
    return `${record.what} ${changeText(record)}`.trim();
  };
  return {
    addControl({ atMs, what, by, added = [], removed = [], lastsMs }, { number: run, label }) {
      const names = (ids: readonly string[]): readonly string[] => ids.slice(0, MAX_NAMES).map(clipped);
      return add({ run, label, atMs, what, by, added: names(added.map(({ id }) => id)), removed: names(removed), lastsMs });
    },
    addBoundary({ atMs, task, state }, { number: run, label }) {
      const names = { added: state === 'started' ? [clipped(task)] : [], removed: state === 'ended' ? [clipped(task)] : [] };
      return add({ run, label, atMs, what: `task ${state}`, by: 'admin', ...names, lastsMs: undefined });
    },
    result: () => ({ list: sample.values, count: sample.seen, kinds: kinds.list() }),
  };
}

/** `+ late - early`: what came and what went. */
export function changeText({ what, added, removed }: Pick<ControlRecord, 'what' | 'added' | 'removed'>): string {
  if (what !== 'reload') return [...added, ...removed].join(', ');
  return [...added.map((id) => `+${id}`), ...removed.map((id) => `-${id}`)].join(' ');
}
