/** A verification as text: for people, for programs, for CI. */
import { junitText } from '../../reporters/junit.js';
import type { VerifyReport } from './verify-report.js';

/** Colours, or none. */
export type GoldenPaint = Readonly<Record<'good' | 'bad' | 'warn' | 'dim', (text: string) => string>>;

/** For people: one line per fixture, one below for each thing that is not as expected. */
export function renderVerify({ fixtures, verdict, server, file }: VerifyReport, paint: GoldenPaint): string {
  const marks = { passed: paint.good('pass'), failed: paint.bad('FAIL'), undecided: paint.warn('open') };
  const width = Math.max(...fixtures.map(({ name }) => name.length));
  const lines = fixtures.flatMap(({ name, outcome, durationMs, owner, verdicts }) => [
    `${marks[outcome]}  ${name.padEnd(width)}${durationMs === null ? '' : paint.dim(`  ${Math.round(durationMs)} ms`)}${
      outcome === 'passed' || owner === null ? '' : paint.dim(`  owner: ${owner}`)
    }`,
    ...verdicts.map(
      ({ says, weight, word }) =>
        `      ${weight === 'soft' ? paint.warn('warning: ') : ''}${says}${word === null ? '' : paint.dim(` (${word})`)}`,
    ),
  ]);
  const count = (wanted: string): number => fixtures.filter(({ outcome }) => outcome === wanted).length;
  const open = count('undecided') === 0 ? '' : `, ${count('undecided')} undecided`;
  const advice = verdict === 'failed' ? `If a change is meant, approve it: toolquake golden update ${file} ...\n` : '';
  return `${lines.join('\n')}\n${count('passed')} passed, ${count('failed')} failed${open}: ${server}\n${advice}`;
}

/** For CI: one test case per fixture. */
export function renderVerifyJunit({ fixtures, file }: VerifyReport): string {
  return junitText('toolquake golden verify', [
    {
      name: file,
      cases: fixtures.map(({ name, outcome, verdicts }) => {
        const text = verdicts.map(({ says }) => says).join('; ');
        return { name, outcome: outcome === 'passed' ? 'passed' : outcome === 'undecided' ? 'skipped' : { failure: text }, output: text };
      }),
    },
  ]);
}
