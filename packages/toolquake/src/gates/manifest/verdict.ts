/** From findings to green or red. */
import type { Level } from './level.js';
import type { JudgedFinding } from './waivers.js';

/** `undecided`: nothing is known to break, and something cannot be known. */
export type ManifestVerdict = 'compatible' | 'incompatible' | 'undecided';

/** Levels that turn the gate red; with `isStrict` texts do, too. */
const failing = (isStrict: boolean): readonly Level[] => (isStrict ? ['breaking', 'security', 'text'] : ['breaking', 'security']);

/** True when a finding stands in the way, and nobody waived it. */
export function blocks({ levels, waiver }: JudgedFinding, isStrict: boolean): boolean {
  return (waiver === undefined || waiver.isExpired) && levels.some((level) => level === 'undecidable' || failing(isStrict).includes(level));
}

/** The verdict over all findings. */
export function verdictOf(findings: readonly JudgedFinding[], isStrict: boolean): ManifestVerdict {
  const blocking = findings.filter((finding) => blocks(finding, isStrict));
  if (blocking.some(({ levels }) => levels.some((level) => failing(isStrict).includes(level)))) return 'incompatible';
  return blocking.length > 0 ? 'undecided' : 'compatible';
}
