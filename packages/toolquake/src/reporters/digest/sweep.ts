/** Levels on the way up and down again: a system that fails longer on the way down than on the way up has hysteresis. */
import type { JournalEntry } from '@toolquake/sdk/core';
import { createBoundedMap, type Sample } from './bounded-map.js';
import { addValue, shareEstimateOf, startSample, type Estimate } from './estimate.js';

type Level = Extract<JournalEntry, { kind: 'level' }>;

/** One level over all seeds. */
export type LevelRecord = {
  readonly way: 'up' | 'down';
  readonly value: number;
  readonly runs: number;
  readonly tasks: number;
  readonly failedShare: Estimate;
};

/** One sweep, both ways in the order they were gone: up, the disturbance grows (a load rises, a pool shrinks). */
export type Sweep = {
  readonly label: string;
  readonly what: string;
  readonly up: readonly LevelRecord[];
  readonly down: readonly LevelRecord[];
};

/** Collects levels. */
export type SweepBook = { add(label: string, level: Level): void; list(): readonly Sweep[] };

const MAX_SWEEPS = 24;
const MAX_LEVELS = 200;

type Growing = { way: 'up' | 'down'; value: number; tasks: number; failed: number; shares: Sample<number> };

/** An empty book. */
export function createSweepBook(): SweepBook {
  const sweeps = createBoundedMap(MAX_SWEEPS, () => ({ label: '', what: '', levels: new Map<string, Growing>() }));
  return {
    add(label, { way, what, value, tasks, failedShare }) {
      const sweep = sweeps.at(JSON.stringify([label, what]));
      sweep.label ||= label;
      sweep.what ||= what;
      const key = `${way} ${value}`;
      let level = sweep.levels.get(key);
      if (level === undefined) {
        if (sweep.levels.size >= MAX_LEVELS) return;
        level = { way, value, tasks: 0, failed: 0, shares: startSample() };
        sweep.levels.set(key, level);
      }
      level.tasks += tasks;
      level.failed += Math.round(failedShare * tasks);
      addValue(level.shares, failedShare);
    },
    list: () =>
      sweeps.entries().map(([, { label, what, levels }]) => {
        const all = [...levels.values()].map(recordOf);
        return {
          label,
          what,
          up: all.filter(({ way }) => way === 'up'),
          down: all.filter(({ way }) => way === 'down'),
        };
      }),
  };
}

function recordOf({ way, value, tasks, failed, shares }: Growing): LevelRecord {
  return { way, value, runs: shares.seen, tasks, failedShare: shareEstimateOf(shares, failed, tasks) };
}

/** Share of failed tasks from which on a system counts as failing. */
export const FAILING_SHARE = 0.1;

/** Where it began to fail on the way up, and where it had recovered on the way down; undefined where it never did. */
export function turningPoints({ up, down }: Sweep): { readonly failsAt: number | undefined; readonly recoversAt: number | undefined } {
  const isFailing = ({ failedShare }: LevelRecord): boolean => (failedShare.mean ?? 0) >= FAILING_SHARE;
  const lastBad = down.findLastIndex(isFailing);
  return { failsAt: up.find(isFailing)?.value, recoversAt: down[lastBad + 1]?.value };
}

/** Steps by which the way down stays behind the way up: 0 where it never fails, endless where it never recovers. */
export function lagOf(sweep: Sweep): number {
  const { failsAt, recoversAt } = turningPoints(sweep);
  if (failsAt === undefined) return 0;
  const stepOf = (value: number | undefined): number => sweep.up.findIndex((level) => level.value === value);
  return recoversAt === undefined ? Infinity : Math.max(0, stepOf(failsAt) - stepOf(recoversAt));
}

/** Does the disturbance grow as the value falls? */
export function isFalling({ up }: Sweep): boolean {
  return (up.at(-1)?.value ?? 0) < (up[0]?.value ?? 0);
}
