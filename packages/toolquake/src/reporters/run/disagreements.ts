/** Where the verdict of a journal does not follow from the rest of it. A report says so instead of choosing one silently. */
import type { RunEntry } from '../../core/run-entry.js';
import { duration, grouped } from '../figures.js';
import type { ActionRecord, UndoRecord } from './fault-book.js';
import { isFault, type Disagreement, type RunFigures } from './run-figures.js';

/** What is compared. */
export type Told = {
  readonly verdict: Omit<Extract<RunEntry, { kind: 'verdict' }>, 'kind'> | undefined;
  readonly undos: readonly UndoRecord[];
  readonly actions: readonly ActionRecord[];
  readonly trips: number;
};

/** Entries are written after what they tell: by so much two moments may differ and be the same. */
const TOLERANCE_MS = 1000;
const TOLERANCE_SHARE = 0.02;

const time = (ms: number | null): string => duration(ms ?? undefined);

/** The undos that are not proved: for each change, what came of it last. */
export function notUndone(undos: readonly UndoRecord[]): readonly UndoRecord[] {
  const latest = new Map<string, UndoRecord>();
  for (const undo of undos) latest.set(JSON.stringify([undo.id, undo.name]), undo);
  return [...latest.values()].filter(({ state }) => state === 'not-undone');
}

/** Every difference. */
export function disagreementsOf({ verdict, undos, trips, actions }: Told, found: RunFigures): readonly Disagreement[] {
  if (verdict === undefined) return [];
  const isSame = (told: number | null, own: number | null): boolean =>
    told === null || own === null ? told === own : Math.abs(told - own) <= Math.max(TOLERANCE_MS, TOLERANCE_SHARE * own);
  const times = (['mttdMs', 'mttrMs', 'recoveryMs'] as const)
    .filter((key) => !isSame(verdict[key], found[key]))
    .map((key) => ({ what: NAMES[key], told: time(verdict[key]), found: time(found[key]) }));
  const counts = (['faultedCalls', 'controlCalls'] as const)
    .filter((key) => verdict[key] !== found[key])
    .map((key) => ({ what: NAMES[key], told: grouped(verdict[key]), found: grouped(found[key]) }));
  const worse = worstOf({ undos, trips, actions });
  const isHidden = worse !== undefined && SEVERITY.indexOf(verdict.verdict) < SEVERITY.indexOf(worse.verdict);
  return [...(isHidden ? [{ what: 'verdict', told: verdict.verdict, found: `${worse.verdict}: ${worse.why}` }] : []), ...times, ...counts];
}

const NAMES = {
  mttdMs: 'MTTD',
  mttrMs: 'MTTR',
  recoveryMs: 'recovery',
  faultedCalls: 'faulted calls',
  controlCalls: 'control calls',
} as const;

/** Of these three, the later one hides the earlier one and not the other way round. */
const SEVERITY: readonly string[] = ['held', 'not-injected', 'aborted', 'undo-failed'];

function worstOf({ undos, trips, actions }: Omit<Told, 'verdict'>): { readonly verdict: string; readonly why: string } | undefined {
  const open = notUndone(undos);
  if (open.length > 0) return { verdict: 'undo-failed', why: `${open[0]!.name} is not proved to be undone` };
  if (trips > 0) return { verdict: 'aborted', why: 'a tripwire or somebody ended it' };
  const isInjected = actions.every((one) => !isFault(one)) || actions.some((one) => isFault(one) && one.onMs !== undefined);
  return isInjected ? undefined : { verdict: 'not-injected', why: 'no fault was at work' };
}
