/** A diff for programs: JSON, SARIF and JUnit. */
import { junitText } from '../../../reporters/junit.js';
import { sarifText } from '../../../reporters/sarif.js';
import { FINDINGS } from '../findings/catalogue.js';
import { blocks } from '../verdict.js';
import type { JudgedFinding } from '../waivers.js';
import { bySubject, changeText, levelCounts, waiverText, type DiffReport } from './report.js';

/** The diff as JSON; what a program reads stays when fields are added. */
export function renderDiffJson({ oldName, newName, verdict, isStrict, findings, unused, unlisted }: DiffReport): string {
  const counts = Object.fromEntries(levelCounts(findings));
  const judged = findings.map((finding) => ({ ...finding, isBlocking: blocks(finding, isStrict) }));
  return `${JSON.stringify({ old: oldName, new: newName, verdict, isStrict, counts, findings: judged, unusedWaivers: unused, unlisted }, undefined, 2)}\n`;
}

const sentence = (finding: JudgedFinding): string =>
  [`${finding.subject}: ${finding.says}`, finding.detail ?? '', changeText(finding), waiverText(finding), finding.advice ?? '']
    .filter((part) => part !== '')
    .join(' ');

/** The diff for code scanning. Harmless findings stay away: they would be noise beside the lines. */
export function renderDiffSarif({ findings, isStrict, file, lineOf }: DiffReport, version: string): string {
  const results = findings
    .filter(({ levels }) => !levels.includes('compatible'))
    .map((finding) => {
      const { id, levels, pointer, fingerprint, waiver } = finding;
      const line = lineOf(pointer);
      const level = blocks({ ...finding, waiver: undefined } as JudgedFinding, isStrict)
        ? ('error' as const)
        : levels[0] === 'text'
          ? ('note' as const)
          : ('warning' as const);
      return {
        ruleId: id,
        level,
        message: sentence(finding),
        fingerprint,
        pointer,
        properties: { levels },
        ...(file === undefined ? {} : { file }),
        ...(line === undefined ? {} : { line }),
        ...(waiver === undefined || waiver.isExpired ? {} : { acceptedBecause: waiver.reason }),
      };
    });
  return sarifText({
    version,
    results,
    rules: [...FINDINGS].map(([id, { says, advice }]) => ({ id, says, ...(advice === undefined ? {} : { advice }) })),
  });
}

/** The diff for CI: a suite per tool, a case per finding. */
export function renderDiffJunit({ findings, isStrict, newName }: DiffReport): string {
  const suites = [...bySubject(findings)].map(([name, group]) => ({
    name,
    cases: group.map((finding) => ({
      name: `${finding.id} ${finding.pointer}`,
      outcome: blocks(finding, isStrict)
        ? { failure: sentence(finding) }
        : finding.waiver === undefined
          ? ('passed' as const)
          : ('skipped' as const),
      output: sentence(finding),
    })),
  }));
  const none = { name: 'manifest', cases: [{ name: `${newName} shows what it showed`, outcome: 'passed' as const }] };
  return junitText('toolquake diff', suites.length === 0 ? [none] : suites);
}
