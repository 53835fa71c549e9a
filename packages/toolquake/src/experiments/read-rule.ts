/** Reads one rule, of the steady state or of a tripwire, from what was seen. What is silent, stale or no number never holds. Pure. */
import type { RuleReading, RuleState } from '../core/run-entry.js';
import { SIGNALS, type SteadyRule, type TripRule } from '../core/sample.js';
import { staleAfterMs, type Cadence } from './cadence.js';
import type { SampleBook } from './sample-book.js';
import { isCount, memoryOf, samplesOf, signalValue } from './signals.js';

/** Too few samples make a window so many times longer before the rule is given up as `few`. */
export const MAX_STRETCH = 4;

type Bound = { readonly text: string; holds(value: number): boolean };

function boundOf(rule: SteadyRule | TripRule): Bound {
  if ('atLeast' in rule && rule.atLeast !== undefined) return atLeast(rule.atLeast);
  if ('atMost' in rule && rule.atMost !== undefined) return atMost(rule.atMost);
  if ('equals' in rule && rule.equals !== undefined) return exactly(rule.equals);
  if ('above' in rule && rule.above !== undefined) return atMost(rule.above);
  if ('below' in rule && rule.below !== undefined) return atLeast(rule.below);
  // A rule without a bound was refused when the file was read; should one come, it must not pass for green.
  return { text: 'no bound', holds: () => false };
}

const atLeast = (low: number): Bound => ({ text: `at least ${low}`, holds: (value) => value >= low });
const atMost = (high: number): Bound => ({ text: `at most ${high}`, holds: (value) => value <= high });
const exactly = (wanted: number): Bound => ({ text: `exactly ${wanted}`, holds: (value) => value === wanted });

/** The samples of the rule's window, made longer only where they are too few. */
function windowed(rule: SteadyRule | TripRule, book: SampleBook, nowMs: number, countFromMs: number): ReturnType<typeof samplesOf> {
  const firstMs = isCount(rule.signal) ? countFromMs : Number.NEGATIVE_INFINITY;
  for (let stretch = 1; ; stretch *= 2) {
    // What is dated later than now comes from a clock that we do not share: it does not count.
    const samples = samplesOf(rule, book, Math.max(firstMs, nowMs - stretch * rule.windowMs)).filter((sample) => sample.atMs <= nowMs);
    if (samples.length >= rule.minSamples || stretch >= MAX_STRETCH) return samples;
  }
}

/** What a rule says at a moment. Signals that count do so from `countFromMs` on. */
export function readRule(
  rule: SteadyRule | TripRule,
  book: SampleBook,
  nowMs: number,
  cadence: Cadence,
  countFromMs = Number.NEGATIVE_INFINITY,
): RuleReading {
  const bound = boundOf(rule);
  const samples = windowed(rule, book, nowMs, countFromMs);
  const newest = samples.at(-1);
  const isFresh = newest !== undefined && nowMs - newest.atMs <= staleAfterMs(cadence[SIGNALS[rule.signal].source], rule.windowMs);
  const value = isFresh ? signalValue(rule.signal, samples, book, nowMs) : null;
  const state = (): RuleState => {
    if (value === null) return 'silent';
    if (samples.length < rule.minSamples) return 'few';
    return bound.holds(value) ? 'holds' : 'fails';
  };
  return {
    signal: rule.signal,
    ...(rule.lane === undefined ? {} : { lane: rule.lane }),
    ...(rule.name === undefined ? {} : { name: rule.name }),
    bound: bound.text,
    windowMs: memoryOf(rule.signal) === 'window' ? rule.windowMs : 0,
    value,
    samples: samples.length,
    state: state(),
  };
}
