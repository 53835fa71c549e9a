/**
 * Brings together what a caller saw of a call and what the proxy on the way did to it. Both tell of it in their own time, in
 * any order, or never; a call is in the control lane only when the proxy said that it was not hit. Pure: time is handed in.
 */
import type { JournalEntry } from '@toolquake/sdk/core';
import type { Sample } from '../core/sample.js';

type CallSample = Sample & { readonly source: 'call' };

/** How a join is made. */
export type LaneJoinOptions = {
  readonly onSample: (sample: CallSample) => void;
  /** What has no partner for so long has none. */
  readonly patienceMs?: number;
  /** More waiting than this on one side: the oldest is given up. */
  readonly maxWaiting?: number;
};

/** See the module comment. */
export type LaneJoin = {
  /** What a worker of the workload said: a sample with the trace that the request named. Empty: no request went out, so none was hit. */
  call(message: { readonly key: string; readonly sample: CallSample }, nowMs: number): void;
  /** An entry of the journal of the proxy; only calls that name a trace matter. */
  entry(entry: JournalEntry, nowMs: number): void;
  /** Gives up what waited too long. Asked again and again, and once with Infinity at the end. */
  settle(nowMs: number): void;
  /** Samples whose lane is not known, and entries that nobody's sample fits: neither counts for anything. */
  readonly dropped: { readonly calls: number; readonly entries: number };
  readonly waiting: number;
};

const PATIENCE_MS = 10_000;
const MAX_WAITING = 20_000;

/** Starts with nothing. */
export function createLaneJoin({ onSample, patienceMs = PATIENCE_MS, maxWaiting = MAX_WAITING }: LaneJoinOptions): LaneJoin {
  const calls = new Map<string, { readonly sample: CallSample; readonly sinceMs: number }>();
  const hits = new Map<string, { readonly isHit: boolean; readonly sinceMs: number }>();
  const dropped = { calls: 0, entries: 0 };

  const tell = (sample: CallSample, isHit: boolean): void => onSample({ ...sample, lane: isHit ? 'faulted' : 'control' });

  /** Maps keep the order in which things came, so the first is the oldest. */
  const trim = (map: Map<string, { readonly sinceMs: number }>, what: keyof typeof dropped, untilMs: number): void => {
    for (const [key, { sinceMs }] of map) {
      if (map.size <= maxWaiting && sinceMs > untilMs) return;
      map.delete(key);
      dropped[what]++;
    }
  };

  return {
    call({ key, sample }, nowMs) {
      if (key === '') return tell(sample, false);
      const hit = hits.get(key);
      if (hit === undefined) {
        calls.set(key, { sample, sinceMs: nowMs });
        return trim(calls, 'calls', -Infinity);
      }
      hits.delete(key);
      tell(sample, hit.isHit);
    },
    entry(entry, nowMs) {
      if (entry.kind !== 'call' || entry.trace === undefined) return;
      const isHit = (entry.faults?.length ?? 0) > 0;
      const call = calls.get(entry.trace);
      if (call === undefined) {
        // A request that was doubled on the way has more than one entry: hit once is hit.
        hits.set(entry.trace, { isHit: isHit || hits.get(entry.trace)?.isHit === true, sinceMs: nowMs });
        return trim(hits, 'entries', -Infinity);
      }
      calls.delete(entry.trace);
      tell(call.sample, isHit);
    },
    settle(nowMs) {
      trim(calls, 'calls', nowMs - patienceMs);
      trim(hits, 'entries', nowMs - patienceMs);
    },
    dropped,
    get waiting() {
      return calls.size + hits.size;
    },
  };
}
