/** A smoke test for programs: JSON, JUnit, and the annotations of GitHub workflows. */
import { junitText, type JunitCase } from '../../../reporters/junit.js';
import type { SmokeReport, SmokeStep } from '../smoke-report.js';
import { verdictText, waitText } from './words.js';

/** The report as JSON; what a program reads stays when fields are added. */
export const renderSmokeJson = (report: SmokeReport): string => `${JSON.stringify(report, undefined, 2)}\n`;

/** A sentence for everything that is known of a step. */
function sentence({ reason, detail, clue, act }: SmokeStep): string {
  return [reason === null ? detail : `${reason}: ${detail}.`, clue === null ? '' : `Looks like ${clue}.`, act ?? '']
    .filter((part) => part !== '')
    .join(' ');
}

/** The report for CI: a case per step. What could not be judged is no success there. */
export function renderSmokeJunit(report: SmokeReport): string {
  const cases = report.steps.map((step): JunitCase => {
    const { state, durationMs, budgetMs } = step;
    const outcome = state === 'passed' || state === 'skipped' ? state : { failure: sentence(step) };
    return { name: step.step, outcome, output: `${Math.round(durationMs)} ms of ${budgetMs} ms: ${sentence(step)}` };
  });
  return junitText('toolquake smoke', [{ name: report.target, cases }]);
}

/** Workflow commands are lines: what would end one, or one of its properties, is encoded. */
const data = (text: string): string => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string): string => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** An annotation per step that did not pass, or a notice that all did. */
export function renderSmokeAnnotations(report: SmokeReport): string {
  const annotation = (level: 'error' | 'warning' | 'notice', title: string, message: string): string =>
    `::${level} title=${property(title)}::${data(message)}\n`;
  const bad = report.steps.filter(({ state }) => state !== 'passed' && state !== 'skipped');
  if (bad.length === 0)
    return annotation('notice', `Smoke: ${report.target}`, [verdictText(report), waitText(report.ready)].join(' ').trim());
  return bad
    .map((step) =>
      annotation(step.state === 'failed' ? 'error' : 'warning', `Smoke: ${report.target}: ${step.step} ${step.state}`, sentence(step)),
    )
    .join('');
}
