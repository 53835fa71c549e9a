/** What many held sessions see together: how many are in, how long they wait, and what they are told. Pure. */
import type { CallEnd, Sample } from '../core/sample.js';

/** The state at one moment. */
export type Holding = {
  readonly wanted: number;
  readonly open: number;
  /** Sessions that were not let in when they first came. */
  readonly refused: number;
  readonly ends: Partial<Readonly<Record<CallEnd, number>>>;
  readonly inFlight: number;
  /** Of those, calls that have taken far longer than one does alone. */
  readonly waiting: number;
  /** The median of a call while nobody else was there. */
  readonly aloneMs: number | null;
  /** The 95th percentile of the last calls. */
  readonly p95Ms: number | null;
};

/** What the sessions tell it. */
export type HoldingBook = {
  opened(isOpen: boolean): void;
  /** Returns what to call when the call is over. */
  began(atMs: number): () => void;
  ended(sample: Sample & { readonly source: 'call' }): void;
  /** From now on calls are no longer alone. */
  stopAlone(): void;
  read(nowMs: number): Holding;
};

const LAST_CALLS = 400;

/** A call that takes so long, where one alone takes `aloneMs`, has waited for something. */
export const isWaiting = (ms: number, aloneMs: number | null): boolean => ms > Math.max(3 * (aloneMs ?? 0), (aloneMs ?? 0) + 100);

/** Starts with nobody in. */
export function createHoldingBook(wanted: number): HoldingBook {
  const ends: Partial<Record<CallEnd, number>> = {};
  const alone: number[] = [];
  const last: number[] = [];
  const flying = new Set<{ readonly sinceMs: number }>();
  let isAlone = true;
  let open = 0;
  let refused = 0;
  return {
    opened(isOpen) {
      if (isOpen) open++;
      else refused++;
    },
    began(sinceMs) {
      const flight = { sinceMs };
      flying.add(flight);
      return () => void flying.delete(flight);
    },
    ended({ end, ms }) {
      if (isAlone) return void alone.push(ms);
      ends[end] = (ends[end] ?? 0) + 1;
      last.push(ms);
      if (last.length > LAST_CALLS) last.shift();
    },
    stopAlone() {
      isAlone = false;
    },
    read(nowMs) {
      const aloneMs = rank(alone, 0.5);
      const waiting = [...flying].filter(({ sinceMs }) => isWaiting(nowMs - sinceMs, aloneMs)).length;
      return { wanted, open, refused, ends: { ...ends }, inFlight: flying.size, waiting, aloneMs, p95Ms: rank(last, 0.95) };
    },
  };
}

function rank(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? null;
}
