/** What came of verifying fixtures. */
import { harmless } from '../harmless.js';
import type { Verdict } from '../judge-answer.js';
import type { Fixture } from './fixture.js';

/** One fixture, judged. */
export type FixtureReport = {
  readonly name: string;
  readonly asks: Fixture['asks'];
  readonly target: string;
  readonly owner: string | null;
  readonly outcome: 'passed' | 'failed' | 'undecided';
  readonly durationMs: number | null;
  /** Everything that is not as expected; warnings too. */
  readonly verdicts: readonly { readonly word: string | null; readonly reason: string; readonly weight: string; readonly says: string }[];
};

/** All fixtures of a file against one server. */
export type VerifyReport = {
  readonly target: string;
  readonly server: string;
  readonly file: string;
  readonly verdict: FixtureReport['outcome'];
  readonly fixtures: readonly FixtureReport[];
};

/** Judges one. */
export function reportFixture(
  { name, asks, tool, owner }: Fixture,
  verdicts: readonly Verdict[],
  durationMs: number | undefined,
): FixtureReport {
  const isFailed = verdicts.some(({ weight }) => weight === 'hard');
  const isUndecided = verdicts.some(({ weight }) => weight === 'undecided');
  return {
    name,
    asks,
    target: tool,
    owner: owner ?? null,
    outcome: isFailed ? 'failed' : isUndecided ? 'undecided' : 'passed',
    durationMs: durationMs === undefined ? null : Math.round(durationMs * 10) / 10,
    verdicts: verdicts.map(({ word, reason, weight, says }) => ({ word: word ?? null, reason, weight, says: harmless(says) })),
  };
}

/** One failure fails the file; what cannot be told leaves it open. */
export const overall = (fixtures: readonly FixtureReport[]): FixtureReport['outcome'] =>
  (['failed', 'undecided'] as const).find((one) => fixtures.some(({ outcome }) => outcome === one)) ?? 'passed';
