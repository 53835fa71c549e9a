/** The moments that MTTD, MTTR and recovery are counted from, as they pass by. */
import type { RunEntry } from '../../core/run-entry.js';
import type { ActionRecord, UndoRecord } from './fault-book.js';
import { isFault, type RunMoments } from './run-figures.js';
import { notUndone } from './disagreements.js';
import { createSteadyAgain } from './steady-again.js';

/** What the other books know. */
export type MomentsContext = {
  readonly actions: readonly ActionRecord[];
  readonly undos: readonly UndoRecord[];
  readonly toldMttdMs: number | null | undefined;
};

/** Takes entries in; those that mark no moment are passed over. */
export type MomentsBook = { add(entry: RunEntry): void; result(context: MomentsContext): RunMoments };

/** Alerts beyond these are not looked at: the first one counts. */
const MAX_ALERTS = 60;

/** Nothing happened yet. */
export function createMomentsBook(): MomentsBook {
  const harmless = new Set<string>();
  const [healing, recovering] = [createSteadyAgain(), createSteadyAgain()];
  const alerts: number[] = [];
  let [begunMs, undoMs, afterMs]: (number | undefined)[] = [];
  let wasBroken = false;
  return {
    add(entry) {
      switch (entry.kind) {
        case 'experiment':
          for (const { id } of entry.actions.filter((one) => !isFault(one)).slice(0, MAX_ALERTS)) harmless.add(id);
          return;
        case 'action':
          if (!harmless.has(entry.id)) begunMs ??= entry.atMs;
          return;
        case 'phase':
          if (entry.phase === 'undo') undoMs ??= entry.atMs;
          if (entry.phase === 'after') afterMs ??= entry.atMs;
          return;
        case 'alert':
          if (entry.state === 'firing' && alerts.length < MAX_ALERTS) alerts.push(entry.atMs);
          return;
        case 'sample':
          if (begunMs === undefined || undoMs !== undefined) return;
          if (entry.sample.source === 'probe' ? !entry.sample.isUp : entry.sample.source === 'call' && entry.sample.end !== 'ok')
            wasBroken = true;
          return;
        case 'steady':
          // The rules of "after" are looked at during the fault, too, where the system must heal itself.
          if (begunMs !== undefined && entry.rules.some(({ state }) => state === 'fails')) wasBroken = true;
          if (entry.phase !== 'after') return;
          if (undoMs === undefined && begunMs !== undefined) healing.look(entry.atMs, entry.rules);
          else if (afterMs !== undefined) recovering.look(entry.atMs, entry.rules);
          return;
        default:
          return;
      }
    },
    result({ actions, undos, toldMttdMs }) {
      const hurt = actions.filter((one) => isFault(one) && one.onMs !== undefined);
      const faultOnMs = hurt.length === 0 ? undefined : begunMs;
      const offs = hurt.flatMap(({ offMs }) => (offMs === undefined ? [] : [offMs]));
      const isGone = faultOnMs !== undefined && notUndone(undos).length === 0;
      const faultOffMs = isGone ? (afterMs ?? (offs.length === 0 ? undoMs : Math.max(...offs))) : undefined;
      const fired = faultOnMs === undefined ? [] : alerts.filter((atMs) => atMs >= faultOnMs);
      const healedMs = faultOnMs === undefined ? undefined : healing.sinceMs(faultOnMs);
      const recoveredMs = afterMs === undefined ? undefined : recovering.sinceMs(afterMs);
      return {
        faultOnMs,
        faultOffMs,
        // Of several alerts the one that was expected counts; which that was, only the verdict knows.
        alertMs: fired.find((atMs) => atMs - (faultOnMs ?? 0) === toldMttdMs) ?? fired[0],
        healedMs,
        recoveredMs,
        recoveringFromMs: afterMs,
        wasBroken,
        steadyAgainMs: faultOnMs === undefined ? undefined : (healedMs ?? recoveredMs),
      };
    },
  };
}
