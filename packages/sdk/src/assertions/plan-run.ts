/** A plan that runs in this process, as far as tests care: whatever keeps a journal and can be stopped. */
import type { JournalEntry } from '../core/journal.js';

/** See the module comment. `wrapFetch` returns one. */
export type PlanRun = {
  readonly journal: readonly JournalEntry[];
  stop(): unknown;
};

type EntryOf<Kind extends JournalEntry['kind']> = Extract<JournalEntry, { readonly kind: Kind }>;

/** The entries of one kind. */
export function entriesOf<Kind extends JournalEntry['kind']>({ journal }: Pick<PlanRun, 'journal'>, kind: Kind): readonly EntryOf<Kind>[] {
  return journal.filter((entry): entry is EntryOf<Kind> => entry.kind === kind);
}

/** How often a rule's fault was delivered so far. */
export function firedCount(run: Pick<PlanRun, 'journal'>, rule: string): number {
  return entriesOf(run, 'fault').filter((entry) => entry.rule === rule && entry.state === 'delivered').length;
}
