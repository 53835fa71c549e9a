/** The moments that MTTD, MTTR and recovery are counted from, as they pass by. */
import type { RunEntry } from '../../core/run-entry.js';
import { notUndone, type ActionRecord, type UndoRecord } from './fault-book.js';
import { isFault, type RunMoments } from './run-figures.js';
import { createSteadyAgain } from './steady-again.js';

/** What the other books know. */
export type MomentsContext = {
  readonly actions: readonly ActionRecord[];
  readonly undos: readonly UndoRecord[];
  /** What the verdict says. */
  readonly told: Readonly<Record<'mttrMs' | 'recoveryMs', number | null>> | undefined;
};

/** Takes entries in; those that mark no moment are passed over. */
export type MomentsBook = { add(entry: RunEntry): void; result(context: MomentsContext): RunMoments };

/** Actions and alerts beyond these are not looked at. */
const MAX_KEPT = 60;

/** The later one. */
const later = (one: number | undefined, other: number): number => Math.max(one ?? other, other);

/** Nothing happened yet. */
export function createMomentsBook(): MomentsBook {
  const harmless = new Set<string>();
  const [healing, recovering] = [createSteadyAgain(), createSteadyAgain()];
  const alerts: number[] = [];
  let [begunMs, faultMs, undoMs, afterMs]: (number | undefined)[] = [];
  // The last of each is enough to tell whether there was one since the fault, whose moment is known only in the end.
  let [lastProbeMs, lastFailureMs, lastBreakMs]: (number | undefined)[] = [];

  return {
    add(entry) {
      switch (entry.kind) {
        case 'experiment':
          for (const { id } of entry.actions.filter((one) => !isFault(one)).slice(0, MAX_KEPT)) harmless.add(id);
          return;
        case 'action':
          if (entry.state !== 'applying') return;
          begunMs ??= entry.atMs;
          if (!harmless.has(entry.id)) faultMs ??= entry.atMs;
          return;
        case 'phase':
          if (entry.phase === 'undo') undoMs ??= entry.atMs;
          if (entry.phase === 'after') afterMs ??= entry.atMs;
          return;
        case 'alert':
          if (entry.state !== 'firing') return;
          if (alerts.length >= MAX_KEPT && faultMs === undefined) alerts.shift();
          if (alerts.length < MAX_KEPT) alerts.push(entry.atMs);
          return;
        case 'sample': {
          const { sample } = entry;
          if (sample.source === 'probe') lastProbeMs = later(lastProbeMs, sample.atMs);
          const isBad = sample.source === 'probe' ? !sample.isUp : sample.source === 'call' && sample.end !== 'ok';
          // By its own time: what was begun under the fault may be written down after it, and the other way round.
          if (isBad && (undoMs === undefined || sample.atMs < undoMs)) lastFailureMs = later(lastFailureMs, sample.atMs);
          return;
        }
        case 'steady':
          if (entry.rules.some(({ state }) => state === 'fails')) lastBreakMs = later(lastBreakMs, entry.atMs);
          if (entry.phase !== 'after') return;
          if (afterMs !== undefined) recovering.look(entry.atMs, entry.rules);
          // Where the system must heal itself, the rules of "after" are looked at during the fault, too.
          else if (undoMs === undefined) healing.look(entry.atMs, entry.rules);
          return;
        default:
          return;
      }
    },
    result({ actions, undos, told }) {
      const fromMs = faultMs ?? begunMs;
      const hurt = actions.filter((one) => isFault(one) && one.onMs !== undefined);
      const faultOnMs = hurt.length === 0 ? undefined : (faultMs ?? Math.min(...hurt.map(({ onMs = 0 }) => onMs)));
      const offs = hurt.flatMap(({ offMs }) => (offMs === undefined ? [] : [offMs]));
      const isGone = faultOnMs !== undefined && notUndone(undos).length === 0;
      const faultOffMs = isGone ? (afterMs ?? (offs.length === 0 ? undoMs : Math.max(...offs))) : undefined;
      const since = (lastMs: number | undefined): boolean => lastMs !== undefined && lastMs >= (fromMs ?? 0);
      // How long a rule on the newest value must hold is not in the journal: there "n/a" of the verdict stands.
      const isProven = (again: typeof healing, toldMs: number | null | undefined): boolean => toldMs !== null || again.knowsWindows();
      const healedMs = fromMs === undefined || !isProven(healing, told?.mttrMs) ? undefined : healing.sinceMs(fromMs);
      const recoveredMs = afterMs === undefined || !isProven(recovering, told?.recoveryMs) ? undefined : recovering.sinceMs(afterMs);
      return {
        begunMs: fromMs,
        faultOnMs,
        faultOffMs,
        alertMs: fromMs === undefined ? undefined : alerts.filter((atMs) => atMs >= fromMs).toSorted((one, other) => one - other)[0],
        healedMs,
        recoveredMs,
        recoveringFromMs: afterMs,
        wasBroken: since(lastFailureMs) || since(lastBreakMs),
        wasProbed: since(lastProbeMs),
        steadyAgainMs: faultOnMs === undefined ? undefined : (healedMs ?? recoveredMs),
      };
    },
  };
}
