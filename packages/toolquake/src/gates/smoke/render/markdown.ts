/** A smoke test for a summary page or a pull request. */
import { escapeMarkdown as text } from '../../../reporters/escape.js';
import type { SmokeReport } from '../smoke-report.js';
import { shortTime, STATE_WORDS, verdictText, waitText } from './words.js';

/** The report as Markdown. */
export function renderSmokeMarkdown(report: SmokeReport): string {
  const wait = waitText(report.ready);
  const lines = [
    `## ${report.verdict === 'passed' ? '✅' : '❌'} toolquake smoke`,
    '',
    text(verdictText(report)),
    '',
    ...(wait === '' ? [] : [`${text(wait)}.`, '']),
    '| | step | time | budget | what | what to do |',
    '| --- | --- | --- | --- | --- | --- |',
  ];
  for (const { state, step, durationMs, budgetMs, reason, detail, clue, act } of report.steps) {
    const what = `${reason === null ? '' : `<code>${reason}</code> `}${text(detail)}`;
    const advice = [clue === null ? '' : `Looks like ${clue}.`, act ?? ''].filter((part) => part !== '').join(' ');
    const time = state === 'skipped' ? '' : shortTime(durationMs);
    lines.push(`| ${STATE_WORDS[state]} | ${step} | ${time} | ${shortTime(budgetMs)} | ${what} | ${text(advice)} |`);
  }
  return `${lines.join('\n')}\n`;
}
