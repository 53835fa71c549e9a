/** Findings that somebody accepted, until a day: read from a file of their own, so that writing a lock again does not lose them. */
import { createValueReader, suggest, type PlanProblem } from '@toolquake/sdk/core';
import type { Finding } from './finding.js';
import { FINDINGS } from './findings/catalogue.js';

/** One waiver. Without `at` it covers every place, and without `fingerprint` every such change there. */
export type Waiver = {
  readonly finding: string;
  readonly at?: string;
  readonly fingerprint?: string;
  readonly reason: string;
  /** The last day on which it counts, as `2026-12-31`, in UTC. */
  readonly until: string;
};

/** Waivers, or what is wrong and where. */
export type WaiverReading = { readonly waivers: readonly Waiver[] } | { readonly problems: readonly PlanProblem[] };

/** Reads `{ version: 1, waivers: [...] }`. */
export function readWaivers(value: unknown): WaiverReading {
  const read = createValueReader();
  const { problems, report } = read;
  const file = read.object(value, [], ['version', 'waivers']);
  if (file !== undefined && file['version'] !== 1) report(['version'], 'OUT_OF_RANGE', '"version" must be 1.');
  const list: unknown = file?.['waivers'];
  if (file !== undefined && !Array.isArray(list)) report(['waivers'], 'WRONG_TYPE', '"waivers" must be a list.');
  const waivers = (Array.isArray(list) ? list : []).flatMap((given: unknown, index): readonly Waiver[] => {
    const path = ['waivers', index];
    const one = read.object(given, path, ['finding', 'at', 'fingerprint', 'reason', 'until']);
    if (one === undefined) return [];
    const text = (name: string): string => {
      const found = one[name];
      if (typeof found === 'string' && found.trim() !== '') return found;
      report([...path, name], 'MISSING_KEY', `A waiver needs "${name}".`);
      return '';
    };
    const [finding, reason, until] = [text('finding'), text('reason'), text('until')];
    if (finding !== '' && !FINDINGS.has(finding))
      report(
        [...path, 'finding'],
        'UNKNOWN_KEY',
        `There is no finding "${finding}".`,
        suggest(finding, [...FINDINGS.keys()]).slice(0, 200),
      );
    if (until !== '' && !isDay(until)) report([...path, 'until'], 'OUT_OF_RANGE', `"until" must be a day like 2026-12-31, not "${until}".`);
    const [at, fingerprint] = [one['at'], one['fingerprint']];
    return [
      { finding, reason, until, ...(typeof at === 'string' ? { at } : {}), ...(typeof fingerprint === 'string' ? { fingerprint } : {}) },
    ];
  });
  return problems.length > 0 ? { problems } : { waivers };
}

function isDay(text: string): boolean {
  const time = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN;
  return Number.isFinite(time) && new Date(time).toISOString().startsWith(text);
}

/** A finding and the waiver that covers it; `isExpired` waivers cover nothing and are told. */
export type JudgedFinding = Finding & { readonly waiver?: Waiver & { readonly isExpired: boolean } };

/** Lays waivers over findings. `today` is a day like 2026-12-31. What no finding asked for is told, too: it can go. */
export function applyWaivers(
  findings: readonly Finding[],
  waivers: readonly Waiver[],
  today: string,
): { readonly judged: readonly JudgedFinding[]; readonly unused: readonly Waiver[] } {
  const used = new Set<Waiver>();
  const judged = findings.map((finding): JudgedFinding => {
    const fitting = waivers.filter((waiver) => covers(waiver, finding));
    for (const waiver of fitting) used.add(waiver);
    // The one that holds longest speaks.
    const best = [...fitting].sort((a, b) => (a.until < b.until ? 1 : a.until > b.until ? -1 : 0))[0];
    return best === undefined ? finding : { ...finding, waiver: { ...best, isExpired: best.until < today } };
  });
  return { judged, unused: waivers.filter((waiver) => !used.has(waiver)) };
}

/** A pointer covers what lies below it. */
function covers({ finding: id, at, fingerprint }: Waiver, finding: Finding): boolean {
  if (id !== finding.id || (fingerprint !== undefined && fingerprint !== finding.fingerprint)) return false;
  return at === undefined || finding.pointer === at || finding.pointer.startsWith(`${at}/`);
}
