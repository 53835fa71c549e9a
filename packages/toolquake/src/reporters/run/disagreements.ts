/** Where the verdict of a journal does not follow from the rest of it. A report says so instead of choosing one silently. */
import type { RunEntry } from '../../core/run-entry.js';
import { duration, grouped } from '../figures.js';
import type { Disagreement, RunFigures } from './run-figures.js';
import type { OpenVerdicts } from './verdict-book.js';

/** Entries are written after what they tell: by so much two moments may differ and be the same. */
const TOLERANCE_MS = 1000;
const TOLERANCE_SHARE = 0.02;

const time = (ms: number | null): string => duration(ms ?? undefined);

/** Every difference. */
export function disagreementsOf(
  verdict: Omit<Extract<RunEntry, { kind: 'verdict' }>, 'kind'> | undefined,
  found: RunFigures,
  open: OpenVerdicts,
): readonly Disagreement[] {
  if (verdict === undefined) return [];
  const isSame = (told: number | null, own: number | null): boolean =>
    told === null || own === null ? told === own : Math.abs(told - own) <= Math.max(TOLERANCE_MS, TOLERANCE_SHARE * own);
  const times = (['mttdMs', 'mttrMs', 'recoveryMs'] as const)
    .filter((key) => !isSame(verdict[key], found[key]))
    .map((key) => ({ what: NAMES[key], told: time(verdict[key]), found: time(found[key]) }));
  const counts = (['faultedCalls', 'controlCalls'] as const)
    .filter((key) => verdict[key] !== found[key])
    .map((key) => ({ what: NAMES[key], told: grouped(verdict[key]), found: grouped(found[key]) }));
  const other = open.verdicts.includes(verdict.verdict)
    ? []
    : [{ what: 'verdict', told: verdict.verdict, found: `${open.verdicts.join(' or ')}: ${open.why}` }];
  return [...other, ...times, ...counts];
}

/** One of them as a sentence. */
export const disagreementText = ({ what, told, found }: Disagreement): string =>
  what === 'verdict'
    ? `The verdict is told as ${told}; the journal shows ${found}.`
    : `The verdict says ${what} ${told}; the journal shows ${found}.`;

const NAMES = {
  mttdMs: 'MTTD',
  mttrMs: 'MTTR',
  recoveryMs: 'recovery',
  faultedCalls: 'faulted calls',
  controlCalls: 'control calls',
} as const;
