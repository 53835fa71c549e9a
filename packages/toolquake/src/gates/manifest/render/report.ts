/** A judged diff, ready to be rendered. */
import { canonicalText } from '../canonical.js';
import { LEVELS, type Level } from '../level.js';
import type { ManifestVerdict } from '../verdict.js';
import type { JudgedFinding, Waiver } from '../waivers.js';

/** What a renderer needs. */
export type DiffReport = {
  readonly oldName: string;
  readonly newName: string;
  /** The file that lines are about; absent when the new side was asked live. */
  readonly file?: string;
  readonly verdict: ManifestVerdict;
  readonly isStrict: boolean;
  readonly findings: readonly JudgedFinding[];
  readonly unused: readonly Waiver[];
  readonly unlisted: number;
  /** The line of a pointer in `file`. */
  lineOf(pointer: string): number | undefined;
};

/** Findings by subject, in the order in which subjects came; the worst finding first. */
export function bySubject(findings: readonly JudgedFinding[]): ReadonlyMap<string, readonly JudgedFinding[]> {
  const groups = new Map<string, JudgedFinding[]>();
  for (const finding of findings) groups.set(finding.subject, [...(groups.get(finding.subject) ?? []), finding]);
  for (const group of groups.values()) group.sort((a, b) => rank(a) - rank(b));
  return groups;
}

const ORDER = Object.keys(LEVELS) as readonly Level[];
const rank = ({ levels }: JudgedFinding): number => Math.min(...levels.map((level) => ORDER.indexOf(level)));

/** `BS`, `W`. */
export const lettersOf = ({ levels }: JudgedFinding): string => levels.map((level) => LEVELS[level].letter).join('');

const LONGEST = 80;

/** A value on one short line; nothing for what was not there. */
function shortValue(value: unknown): string {
  if (value === undefined) return '';
  const text = typeof value === 'string' ? value.replace(/\s+/g, ' ') : canonicalText(value);
  return text.length <= LONGEST ? text : `${text.slice(0, LONGEST - 3)}...`;
}

/** `before -> after`, or the one that there is. */
export function changeText({ before, after }: JudgedFinding): string {
  if (before === undefined && after === undefined) return '';
  if (before === undefined) return `+ ${shortValue(after)}`;
  return after === undefined ? `- ${shortValue(before)}` : `${shortValue(before)} -> ${shortValue(after)}`;
}

/** What became of its waiver, in words. */
export function waiverText({ waiver }: JudgedFinding): string {
  if (waiver === undefined) return '';
  return waiver.isExpired
    ? `The waiver ended on ${waiver.until} and no longer counts: ${waiver.reason}`
    : `Waived until ${waiver.until}: ${waiver.reason}`;
}

/** How many findings each level has; a finding with two counts for its worst. */
export function levelCounts(findings: readonly JudgedFinding[]): readonly (readonly [Level, number])[] {
  const counts = new Map<Level, number>();
  for (const { levels } of findings) counts.set(levels[0]!, (counts.get(levels[0]!) ?? 0) + 1);
  return ORDER.flatMap((level) => (counts.has(level) ? [[level, counts.get(level)!] as const] : []));
}

/** The verdict as a sentence. */
export function verdictText({ verdict, findings, isStrict }: DiffReport): string {
  const counted = levelCounts(findings)
    .map(([level, count]) => `${count} ${level}`)
    .join(', ');
  const told = counted === '' ? 'nothing changed' : counted;
  switch (verdict) {
    case 'compatible':
      return `Compatible${isStrict ? ' (strict)' : ''}: ${told}.`;
    case 'incompatible':
      return `Not compatible${isStrict ? ' (strict)' : ''}: ${told}.`;
    case 'undecided':
      return `Nobody can tell: ${told}. What is undecidable never counts as compatible: look, and waive it.`;
  }
}
