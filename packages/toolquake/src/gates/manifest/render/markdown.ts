/** A diff for a pull request. */
import { escapeMarkdown as text } from '../../../reporters/escape.js';
import { blocks } from '../verdict.js';
import { bySubject, changeText, lettersOf, verdictText, waiverText, type DiffReport } from './report.js';

/** Comments are cut by their hosts at about 65,000 characters. */
const MAX_ROWS = 200;

/** The diff as Markdown. */
export function renderDiffMarkdown(report: DiffReport): string {
  const lines = [`## ${report.verdict === 'compatible' ? '✅' : '❌'} toolquake diff`, '', text(verdictText(report)), ''];
  let left = MAX_ROWS;
  for (const [subject, findings] of bySubject(report.findings)) {
    if (left <= 0) break;
    lines.push(`### ${text(subject)}`, '', '| | finding | where | change | what to do |', '| --- | --- | --- | --- | --- |');
    for (const finding of findings.slice(0, left)) {
      const cells = [
        `${blocks(finding, report.isStrict) ? '❌ ' : ''}${lettersOf(finding)}`,
        `${text(finding.says)}<br><code>${finding.id}</code>`,
        `<code>${text(finding.pointer)}</code>`,
        text([changeText(finding), finding.detail ?? ''].filter((part) => part !== '').join(' ')),
        text(
          [waiverText(finding), finding.levels.includes('compatible') ? '' : (finding.advice ?? '')]
            .filter((part) => part !== '')
            .join(' '),
        ),
      ];
      lines.push(`| ${cells.join(' | ')} |`);
    }
    left -= findings.length;
    lines.push('');
  }
  const hidden = report.unlisted + Math.max(0, -left);
  if (hidden > 0) lines.push(`${hidden} further findings are not listed.`, '');
  for (const { finding, until } of report.unused)
    lines.push(`A waiver for <code>${text(finding)}</code> (until ${until}) covers nothing and can go.`, '');
  return `${lines.join('\n').trimEnd()}\n`;
}
