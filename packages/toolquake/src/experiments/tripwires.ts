/** Tripwires: what the engine stops by itself for. Evaluated on what was seen from outside; nobody can talk them out of it. Pure. */
import type { RunEntry, RuleReading } from '../core/run-entry.js';
import { SIGNALS, type TripRule } from '../core/sample.js';
import { staleAfterMs, type Cadence } from './cadence.js';
import { MAX_STRETCH, readRule } from './read-rule.js';
import type { SampleBook } from './sample-book.js';
import { describeReading } from './steady-state.js';

/** A tripwire that tripped, as it stands in the journal. */
export type Trip = Extract<RunEntry, { readonly kind: 'trip' }>;

/** Tripwires of one run; each trips once. */
export type Tripwires = {
  /** The fault begins. Silence trips as soon as a source that spoke with the first tick would be stale. */
  arm(nowMs: number): void;
  /** What tripped since the last look, in the order of the rules. Nothing before they are armed. */
  look(book: SampleBook, nowMs: number): readonly Trip[];
};

const isSameSignal = (one: TripRule, other: TripRule): boolean =>
  one.signal === other.signal && one.lane === other.lane && one.name === other.name;

/** The rules of the file, and of the defaults those that the file has nothing to say about. Two actions may have one default in common. */
export function tripRules(ofFile: readonly TripRule[], defaults: readonly TripRule[]): readonly TripRule[] {
  const all = [...ofFile];
  for (const rule of defaults) {
    const isOfFile = ofFile.some((one) => isSameSignal(one, rule));
    const isThere = all.some((one) => isSameSignal(one, rule) && one.above === rule.above && one.below === rule.below);
    if (!isOfFile && !isThere) all.push(rule);
  }
  return all;
}

function whyOf(rule: TripRule, reading: RuleReading): string {
  const lasting = rule.forMs === 0 || reading.state !== 'fails' ? '' : ` for ${rule.forMs / 1000} s`;
  return `${describeReading(reading)}${lasting} (${rule.origin})`;
}

/** Stretches the tripwires of a run. */
export function createTripwires(rules: readonly TripRule[], cadence: Cadence): Tripwires {
  let armedAtMs: number | undefined;
  const failingSinceMs = new Map<TripRule, number>();
  const tripped = new Set<TripRule>();

  const isDue = (rule: TripRule, reading: RuleReading, nowMs: number, sinceMs: number): boolean => {
    switch (reading.state) {
      case 'holds':
        failingSinceMs.delete(rule);
        return false;
      case 'fails': {
        const failedAtMs = failingSinceMs.get(rule) ?? nowMs;
        failingSinceMs.set(rule, failedAtMs);
        return nowMs - failedAtMs >= rule.forMs;
      }
      // What stopped talking is not fine: nobody drives blind. It neither begins nor breaks a row of failures.
      case 'silent':
        return nowMs - sinceMs >= staleAfterMs(cadence[SIGNALS[rule.signal].source], rule.windowMs);
      case 'few':
        return nowMs - sinceMs >= MAX_STRETCH * rule.windowMs;
    }
  };

  return {
    arm: (nowMs) => void (armedAtMs ??= nowMs),
    look(book, nowMs) {
      if (armedAtMs === undefined) return [];
      const trips: Trip[] = [];
      for (const rule of rules) {
        if (tripped.has(rule)) continue;
        const reading = readRule(rule, book, nowMs, cadence, armedAtMs);
        if (!isDue(rule, reading, nowMs, armedAtMs)) continue;
        tripped.add(rule);
        trips.push({ kind: 'trip', atMs: nowMs, rule: reading, origin: rule.origin, why: whyOf(rule, reading) });
      }
      return trips;
    },
  };
}
