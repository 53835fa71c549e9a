/**
 * Which verdicts a journal leaves open, told from its entries alone and in the order of decision 016. The engine knows the file
 * of the experiment as well; where only the file could tell, each verdict that it may have come to is left open.
 */
import type { Verdict } from '../../core/experiment.js';
import type { RunEntry } from '../../core/run-entry.js';
import { clipped } from '../digest/bounded-map.js';
import { isContradicting } from './finding-advice.js';
import { notUndone, type ActionRecord, type UndoRecord } from './fault-book.js';
import type { RunFigures, RunMoments } from './run-figures.js';
import type { SteadyRecord } from './steady-book.js';

/** What the other books know. */
export type VerdictContext = {
  readonly actions: readonly ActionRecord[];
  readonly undos: readonly UndoRecord[];
  readonly moments: RunMoments;
  readonly figures: RunFigures;
  readonly steady: readonly SteadyRecord[];
};

/** Any of these verdicts may stand; `why` says what rules the others out. */
export type OpenVerdicts = { readonly verdicts: readonly Verdict[]; readonly why: string };

/** Takes entries in; those that decide nothing are passed over. */
export type VerdictBook = { add(entry: RunEntry): void; result(context: VerdictContext): OpenVerdicts };

type Entry<Kind extends RunEntry['kind']> = Extract<RunEntry, { kind: Kind }>;

/** Nothing is decided. */
export function createVerdictBook(): VerdictBook {
  let [isDryRun, isUndoing, isWatched, wasJudged, wasLeft] = [false, false, false, false, false];
  let unmet: string | undefined;
  let trip: Entry<'trip'> | undefined;
  let blindTrip: Entry<'trip'> | undefined;
  let stop: Entry<'stop'> | undefined;
  let finding: string | undefined;
  /** The most that each rule hit, where anybody counted. */
  const hits = new Map<string, number>();

  const openVerdicts = ({ actions, undos, moments, figures, steady }: VerdictContext): OpenVerdicts => {
    const only = (verdict: Verdict, why: string): OpenVerdicts => ({ verdicts: [verdict], why });
    const left = notUndone(undos)[0];
    if (left !== undefined) return only('undo-failed', `${left.name} is not proved to be undone`);
    const blasts = actions.map(({ blast }) => blast);
    const isCallsOnly = blasts.includes('calls') && !blasts.includes('server');
    if (trip !== undefined) return only('aborted', 'a tripwire ended it');
    if (stop !== undefined) {
      const why = `it was stopped: ${clipped(stop.why)}`;
      // A limit may have come before enough calls were hit; how many are enough only the file says.
      const mayBeEarly = !stop.isAsked && isCallsOnly && figures.faultedCalls > 0;
      return mayBeEarly ? { verdicts: ['aborted', 'inconclusive'], why } : only('aborted', why);
    }
    if (unmet !== undefined) return only('inconclusive', `nothing was injected, as "${unmet}" was not met`);
    const wasBegun = actions.some(({ state }) => state !== 'planned');
    if (!isUndoing && isDryRun && wasBegun) return only('not-injected', 'a dry run found an action that cannot be done');
    if (!isUndoing && !wasBegun) return only('inconclusive', 'it ended before anything was to be injected');
    if (finding !== undefined) return only('violated', `"${finding}" contradicts what must stay true`);
    const unseen = actions.find(({ state }) => state !== 'in-effect' && state !== 'ended-early');
    if (unseen !== undefined) return only('not-injected', `the effect of "${unseen.id}" was not seen`);
    if (isCallsOnly && figures.faultedCalls === 0) return only('not-injected', 'not one call was hit');
    const [idle] = [...hits].find(([, count]) => count === 0) ?? [];
    if (idle !== undefined) return only('not-injected', `the rule "${clipped(idle)}" hit not one call`);
    if (actions.length === 0) return only('not-injected', 'no fault was at work');
    const doubt = doubtOf({ actions, moments, steady });
    // Where a server is hit besides, whether single calls were to be hit at all is a question of its own.
    const mayBeUnhit: readonly Verdict[] = blasts.includes('calls') && figures.faultedCalls === 0 ? ['not-injected'] : [];
    return doubt === undefined
      ? { verdicts: ['held', 'inconclusive', ...mayBeUnhit], why: 'nothing went wrong' }
      : { verdicts: ['inconclusive', ...mayBeUnhit], why: doubt };
  };

  /** What only lets nobody say that all is well. */
  const doubtOf = ({ actions, moments, steady }: Pick<VerdictContext, 'actions' | 'moments' | 'steady'>): string | undefined => {
    const over = actions.find(({ state }) => state === 'ended-early');
    if (over !== undefined) return `the effect of "${over.id}" did not last`;
    if (!moments.wasProbed) return 'no probe looked at the target from the fault on';
    const blind = steady.find(({ phase, states }) => phase === 'during' && states.holds === 0);
    if (blind !== undefined) return `"${blind.rule}" never held during the fault`;
    if (blindTrip !== undefined) return 'a tripwire could not see enough';
    return isWatched && moments.recoveredMs !== undefined ? undefined : 'it was not seen to be steady again';
  };

  return {
    add(entry) {
      switch (entry.kind) {
        case 'experiment':
          isDryRun ||= entry.isDryRun;
          return;
        case 'phase':
          isUndoing ||= entry.phase === 'undo';
          isWatched ||= entry.phase === 'after';
          return;
        case 'precondition':
          if (!entry.isMet) unmet ??= clipped(entry.name);
          return;
        case 'trip':
          if (entry.rule.state === 'few') blindTrip ??= entry;
          else trip ??= entry;
          return;
        case 'sample':
          if (entry.sample.source !== 'faults') return;
          for (const [id, count] of Object.entries(entry.sample.hits ?? {})) hits.set(id, Math.max(hits.get(id) ?? 0, count));
          return;
        case 'stop':
          stop ??= entry;
          return;
        case 'undo':
          // A person may have undone it after the verdict.
          if (!wasJudged) wasLeft ||= entry.state === 'not-undone';
          return;
        case 'finding':
          if (isContradicting(entry.name)) finding ??= entry.name;
          return;
        case 'verdict':
          wasJudged = true;
          return;
        default:
          return;
      }
    },
    result(context) {
      const open = openVerdicts(context);
      return wasLeft && wasJudged && open.verdicts[0] !== 'undo-failed' ? { ...open, verdicts: [...open.verdicts, 'undo-failed'] } : open;
    },
  };
}
