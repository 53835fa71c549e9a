/** A digest for CI: one test case per rule, because a rule that never fired tested nothing. */
import { stateOf, type RuleRecord } from './digest/rule-book.js';
import { escapeXml as text } from './escape.js';
import { grouped, many, percent } from './figures.js';
import type { Digest } from './journal-digest.js';
import { expectationText } from './task-rows.js';

/** One test case. */
export type JunitCase = {
  readonly name: string;
  readonly outcome: 'passed' | 'skipped' | { readonly failure: string };
  readonly output?: string;
};

/** The report as JUnit XML. */
export function renderJunit(digest: Digest, { subject }: { readonly subject: string }): string {
  return junitText('toolquake report', [
    { name: 'rules fire', cases: digest.rules.map(ruleCase) },
    { name: 'expected measures', cases: expectationCases(digest) },
    { name: 'sequences', cases: sequenceCases(digest) },
    { name: 'scenarios', cases: scenarioCases(digest) },
    { name: 'journal', cases: journalCases(digest, subject) },
  ]);
}

/** Cases in suites as JUnit XML; suites without a case are left out. */
export function junitText(title: string, given: readonly { readonly name: string; readonly cases: readonly JunitCase[] }[]): string {
  const suites = given.filter(({ cases }) => cases.length > 0);
  const all = suites.flatMap(({ cases }) => cases);
  const body = suites.map(
    ({ name, cases }) =>
      `  <testsuite name="${text(name)}" ${countsOf(cases)}>\n${cases.map((one) => caseText(name, one)).join('')}  </testsuite>\n`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="${text(title)}" ${countsOf(all)}>\n${body.join('')}</testsuites>\n`;
}

function countsOf(cases: readonly JunitCase[]): string {
  const failures = cases.filter(({ outcome }) => typeof outcome === 'object').length;
  const skipped = cases.filter(({ outcome }) => outcome === 'skipped').length;
  return `tests="${cases.length}" failures="${failures}" errors="0" skipped="${skipped}"`;
}

function caseText(suite: string, { name, outcome, output }: JunitCase): string {
  const children = [
    ...(outcome === 'skipped' ? ['<skipped/>'] : typeof outcome === 'object' ? [`<failure message="${text(outcome.failure)}"/>`] : []),
    ...(output === undefined || output === '' ? [] : [`<system-out>${text(output)}</system-out>`]),
  ];
  const head = `    <testcase classname="toolquake.${text(suite.replaceAll(' ', '-'))}" name="${text(name)}"`;
  return children.length === 0 ? `${head}/>\n` : `${head}>${children.join('')}</testcase>\n`;
}

function ruleCase(rule: RuleRecord): JunitCase {
  const { id, fault, fired, suppressed, notDelivered, reasons } = rule;
  const state = stateOf(rule);
  const output = [
    `fired ${grouped(fired)}, suppressed ${grouped(suppressed)}, not delivered ${grouped(notDelivered)}`,
    ...reasons.map((reason) => `${reason.text} (${grouped(reason.count)})`),
    ...(state === 'removed' ? ['a new plan took it away before it fired'] : []),
  ].join('; ');
  const failure = `Rule ${id} (${fault}) never fired: what never happened was not tested.`;
  return { name: `${id} (${fault})`, outcome: state === 'never' ? { failure } : state === 'fired' ? 'passed' : 'skipped', output };
}

function expectationCases({ tasks }: Digest): readonly JunitCase[] {
  return (tasks?.expectations ?? []).map((one) => ({
    name: one.measure,
    outcome: one.holds ? 'passed' : { failure: expectationText(one) },
    output: expectationText(one),
  }));
}

/** Sequences are findings, not failures: whether one may come about is for a plan to say. */
function sequenceCases({ sequences }: Digest): readonly JunitCase[] {
  return sequences.map(({ sequence, label, runs, marks }) => ({
    name: `${sequence} (${label})`,
    outcome: 'passed',
    output: `came about in ${many(runs, 'run')}: ${marks.join(', ')}`,
  }));
}

function scenarioCases({ comparisons }: Digest): readonly JunitCase[] {
  return comparisons.flatMap(({ scenario, totals }) =>
    totals.map(({ variant, blastRadius, runs }) => ({
      name: `${scenario}, ${variant}`,
      outcome: 'passed' as const,
      output: `${percent(blastRadius.mean)} of tasks failed over ${many(runs, 'run')}`,
    })),
  );
}

function journalCases({ skipped, runs }: Digest, subject: string): readonly JunitCase[] {
  const problems = skipped.first.map(({ where, problem }) => `${where}: ${problem}`);
  const guarded = runs.guarded.map((why) => `${why}: nothing was injected`);
  return [{ name: `${subject} can be read`, outcome: 'passed', output: [...problems, ...guarded].join('; ') }];
}
