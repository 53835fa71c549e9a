/** A plan that runs in this process, as far as tests care: whatever keeps a journal and can be stopped. */
import type { JournalEntry } from '../core/journal.js';
import type { Plan } from '../core/plan.js';

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

/** Which plan a run was started with, where `withPlan` started it: a journal names its rules and does not say what they match. */
const plans = new WeakMap<object, Plan>();

/** Remembers the plan of a run. */
export function notePlan(run: object, plan: Plan): void {
  plans.set(run, plan);
}

/** The plan of a run, where it is known. */
export function planOfRun(run: object): Plan | undefined {
  return plans.get(run);
}
