import { setTimeout as waitFor } from 'node:timers/promises';
import type { JsonObject } from '@toolquake/sdk/core';
import { defineUndo } from '../../core/undo-step.js';
import type { ProcessLook } from '../../managers/process-manager.js';
import { reopenManager } from '../../managers/reopen-manager.js';
import { findProcess, identitiesIn, type ProcessIdentity } from '../process-identity.js';

/** From one look to the next: PM2 answers through a Node process of its own each time. */
const LOOK_EVERY_MS = 250;

/** Gives the process manager time to bring the server back, then starts it through the manager. */
export const ensureRunning = defineUndo({
  kind: 'ensure-running',
  summary: 'Waits for the process manager to start the server again, and starts it through the manager when it does not.',
  async undo(data, world) {
    const manager = await reopenManager(data, world);
    if (manager === undefined) return;
    const { count, graceMs } = factsIn(data);
    const hit = identitiesIn(data['hit']);
    const untilMs = performance.now() + graceMs;
    for (;;) {
      const look = await manager.look();
      const isLate = performance.now() >= untilMs;
      // Whoever was told to end and tidies up first still runs, and is no server that was brought back.
      const isEnding = hit.some((identity) => findProcess(identity) !== undefined);
      if (isRunning(look, count) && (isLate || !isEnding)) return;
      if (look.isGivenUp === true || isLate) break;
      await waitFor(LOOK_EVERY_MS, undefined, { signal: world.signal });
    }
    // Managers answer when it has started; whether it has is for `verify` to see.
    await manager.start();
  },
  async verify(data, world) {
    const manager = await reopenManager(data, world);
    if (manager === undefined) return { is: 'not-undone', why: 'the ledger names no process manager' };
    if (manager.spec.kind === 'own') return { is: 'gone', proof: 'a stdio server ends with the run that started it' };
    const { processes, expected } = await manager.look();
    const { count } = factsIn(data);
    const [keeper] = identitiesIn([data['keeper']]);
    if (expected === 0 && isAnother(keeper, manager.keeper))
      return {
        is: 'not-undone',
        why: `${manager.about} is not known any more since the manager itself was started anew: nobody deleted it`,
      };
    if (expected === 0) return { is: 'gone', proof: `${manager.about} does not exist any more` };
    const pids = processes.map((one) => one.identity.pid).join(', ');
    if (isRunning({ processes, expected }, count)) return { is: 'undone', proof: `${manager.about} runs: process ${pids}` };
    const some = processes.length === 0 ? 'no process runs' : `only process ${pids} of ${Math.min(count, expected ?? count)}`;
    return { is: 'not-undone', why: `${manager.about}: ${some}` };
  },
});

/** Was the manager started anew? One whose folder is gone was thrown away as a whole. */
const isAnother = (before: ProcessIdentity | undefined, now: ProcessIdentity | undefined): boolean =>
  before !== undefined && now !== undefined && findProcess(before) === undefined;

/** As many as ran before; fewer where somebody scaled the server down meanwhile. Nothing is awaited of what does not exist. */
const isRunning = ({ processes, expected }: ProcessLook, count: number): boolean =>
  expected === 0 || processes.length >= Math.min(count, expected ?? count);

function factsIn({ count, graceMs }: JsonObject): { readonly count: number; readonly graceMs: number } {
  return { count: typeof count === 'number' ? count : 1, graceMs: typeof graceMs === 'number' ? graceMs : 0 };
}
