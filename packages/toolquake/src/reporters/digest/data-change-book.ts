/** What data faults made of answers: a few samples of clean and dirty values, and how often. */
import type { DataChange, JournalEntry } from '@toolquake/sdk/core';
import { clipped, createBoundedMap } from './bounded-map.js';

/** One place that a rule changed, with its first values. */
export type DataChangeRecord = {
  readonly rule: string;
  readonly tool: string | undefined;
  readonly path: string;
  readonly clean: string;
  readonly dirty: string;
  readonly count: number;
};

/** Collects data changes. */
export type DataChangeBook = { add(fault: Extract<JournalEntry, { kind: 'fault' }>): void; list(): readonly DataChangeRecord[] };

const MAX_PLACES = 40;

/** An empty book. */
export function createDataChangeBook(): DataChangeBook {
  const places = createBoundedMap(MAX_PLACES, () => ({
    rule: '',
    tool: undefined as string | undefined,
    path: '',
    clean: '',
    dirty: '',
    count: 0,
  }));
  return {
    add({ rule, tool, changes }) {
      for (const change of changes ?? []) {
        const place = places.at(JSON.stringify([rule, tool, change.path]));
        if (place.count === 0) {
          Object.assign(place, {
            rule,
            tool,
            path: clipped(change.path),
            clean: valueText(change, 'clean'),
            dirty: valueText(change, 'dirty'),
          });
        }
        place.count++;
      }
    },
    list: () => places.entries().map(([, place]) => place),
  };
}

/** Absent is not the same as null: a field that was taken out, or put in. */
function valueText(change: DataChange, side: 'clean' | 'dirty'): string {
  return change[side] === undefined ? 'absent' : clipped(JSON.stringify(change[side]));
}
