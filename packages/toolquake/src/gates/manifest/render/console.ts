/** A diff for people in a terminal: grouped by what it is about, what was and what is, what to do. */
import { printable } from '../../../reporters/escape.js';
import type { Paint } from '../../../reporters/figures.js';
import { blocks } from '../verdict.js';
import type { JudgedFinding } from '../waivers.js';
import { bySubject, changeText, lettersOf, verdictText, waiverText, type DiffReport } from './report.js';

/** The diff as text. Harmless findings are one line each; `isFull` shows what they are about. */
export function renderDiffConsole(report: DiffReport, { paint }: { readonly paint: Paint }): string {
  const lines: string[] = [`${printable(report.oldName)} -> ${printable(report.newName)}`];
  for (const [subject, findings] of bySubject(report.findings)) {
    lines.push('', paint.bold(printable(subject)));
    const idWidth = Math.max(...findings.map(({ id }) => id.length));
    for (const finding of findings) lines.push(...findingLines(finding, idWidth, report.isStrict, paint));
  }
  if (report.findings.length > 0) lines.push('');
  if (report.unlisted > 0) lines.push(`${report.unlisted} further findings are not listed.`);
  for (const { finding, reason, until } of report.unused)
    lines.push(paint.dim(`A waiver for ${printable(finding)} (until ${until}) covers nothing and can go: ${printable(reason)}`));
  lines.push(report.verdict === 'compatible' ? paint.green(verdictText(report)) : paint.red(verdictText(report)));
  return `${lines.join('\n')}\n`;
}

function findingLines(finding: JudgedFinding, idWidth: number, isStrict: boolean, paint: Paint): readonly string[] {
  const isBlocking = blocks(finding, isStrict);
  const letters = lettersOf(finding).padEnd(2);
  const lines = [`  ${isBlocking ? paint.red(letters) : letters}  ${finding.id.padEnd(idWidth)}  ${printable(finding.pointer)}`];
  const more = [[finding.says, finding.detail].filter((part) => part !== undefined).join(' '), changeText(finding)];
  // What to do is for what somebody has to do something about.
  if (!finding.levels.includes('compatible')) more.push(finding.advice === undefined ? '' : `=> ${finding.advice}`);
  more.push(waiverText(finding));
  for (const text of more) if (text !== '') lines.push(paint.dim(`      ${printable(text)}`));
  return lines;
}
