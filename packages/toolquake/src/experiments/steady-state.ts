/** The steady state: all rules of a phase at once, and since when they have held. Pure. */
import type { Experiment, Phase } from '../core/experiment.js';
import type { RunEntry, RuleReading } from '../core/run-entry.js';
import type { SteadyPhase, SteadyRule } from '../core/sample.js';
import type { Cadence } from './cadence.js';
import { readRule } from './read-rule.js';
import type { SampleBook } from './sample-book.js';
import { memoryOf } from './signals.js';

/** One look at the steady state, as it stands in the journal. */
export type SteadyLook = Extract<RunEntry, { readonly kind: 'steady' }>;

/** The rules that count in a phase. */
export const rulesOf = ({ steady }: Pick<Experiment, 'steady'>, phase: SteadyPhase): readonly SteadyRule[] =>
  steady.filter((rule) => rule.phases.includes(phase));

/** The longest window of some rules; 0 without any. */
export const longestWindowMs = (rules: readonly SteadyRule[]): number => Math.max(0, ...rules.map((rule) => rule.windowMs));

/** Looks at all rules of a phase. */
export function lookAtSteady(
  rules: readonly SteadyRule[],
  phase: SteadyPhase,
  book: SampleBook,
  nowMs: number,
  cadence: Cadence,
): SteadyLook {
  const readings = rules.map((rule) => readRule(rule, book, nowMs, cadence));
  return { kind: 'steady', atMs: nowMs, phase, isSteady: readings.every((reading) => reading.state === 'holds'), rules: readings };
}

/** `probe_p95_ms (control) was 812, wanted at most 500`. */
export function describeReading({ signal, lane, name, bound, value, samples, state }: RuleReading): string {
  const what = `${name === undefined ? signal : `${signal} "${name}"`}${lane === undefined ? '' : ` (${lane})`}`;
  if (state === 'silent') return `${what} was silent: no fresh sample, wanted ${bound}`;
  if (state === 'few') return `${what} had only ${samples} ${samples === 1 ? 'sample' : 'samples'}, wanted ${bound}`;
  return `${what} was ${value === null ? 'n/a' : Number(value.toFixed(3))}, wanted ${bound}`;
}

/**
 * Since when one rule has held without a break, as of the last look. A signal that speaks of a whole window is good for the first
 * time one window after the last thing that was bad: so its good time began with that window.
 */
function ruleSteadySinceMs(looks: readonly SteadyLook[], rule: SteadyRule, index: number, fromMs: number): number | undefined {
  const broken = looks.findLastIndex((look) => look.rules[index]?.state !== 'holds');
  const first = looks[broken + 1];
  if (first === undefined) return undefined;
  return broken === -1 ? fromMs : Math.max(fromMs, first.atMs - (memoryOf(rule.signal) === 'window' ? rule.windowMs : 0));
}

/** Since when all rules have held, never earlier than `fromMs`; undefined while one does not. `looks` are at these rules, oldest first. */
function steadySinceMs(looks: readonly SteadyLook[], rules: readonly SteadyRule[], fromMs: number): number | undefined {
  let sinceMs = fromMs;
  for (const [index, rule] of rules.entries()) {
    const one = ruleSteadySinceMs(looks, rule, index, fromMs);
    if (one === undefined) return undefined;
    sinceMs = Math.max(sinceMs, one);
  }
  return looks.length === 0 ? undefined : sinceMs;
}

/** Like `steadySinceMs`, and it lasted for the longest window: only then it counts. */
export function provenSteadySinceMs(looks: readonly SteadyLook[], rules: readonly SteadyRule[], fromMs: number): number | undefined {
  const sinceMs = steadySinceMs(looks, rules, fromMs);
  const lastMs = looks.at(-1)?.atMs ?? fromMs;
  return sinceMs !== undefined && lastMs - sinceMs >= longestWindowMs(rules) ? sinceMs : undefined;
}

/** The looks at the rules of a phase that a journal holds, from a moment on. */
export const looksOf = (entries: readonly RunEntry[], phase: Phase, fromMs: number): readonly SteadyLook[] =>
  entries.filter((entry): entry is SteadyLook => entry.kind === 'steady' && entry.phase === phase && entry.atMs >= fromMs);
