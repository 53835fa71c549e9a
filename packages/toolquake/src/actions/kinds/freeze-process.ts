import { ToolquakeError } from '@toolquake/sdk/core';
import { findProcess, signalProcess, type ProcessIdentity } from '../../undo/process-identity.js';
import { defineAction } from '../action.js';
import { CHOICE_FIELDS, isRefused, OUTAGE_TRIP, scaleChoice } from '../chosen-processes.js';
import { checkProtection, chosenOrThrow, lookForProcesses, processNames } from '../process-steps.js';

/** The server is there, holds its connections, and answers nothing. */
export const freezeProcess = defineAction({
  type: 'freeze-process',
  summary: 'Stops the process of the server without ending it: its connections stay open, and nothing is answered.',
  blast: 'server',
  params: CHOICE_FIELDS,
  worstCase: 'Every call hangs until the process goes on; callers without a timeout wait as long.',
  trips: [OUTAGE_TRIP],
  scale: scaleChoice,
  async feasibility(params, world) {
    const chosen = await lookForProcesses(params, world);
    if (isRefused(chosen)) return chosen;
    const stopped = stoppedAlready(chosen.all);
    if (stopped === undefined) return { isFeasible: true, how: `SIGSTOP and SIGCONT to ${processNames(chosen.all)}` };
    // Our undo would let go on what somebody else has stopped.
    return {
      isFeasible: false,
      why: `process ${stopped.pid} is stopped already, and not by this run`,
      act: `Let it go on first (kill -CONT ${stopped.pid}), or clean up what an earlier run left behind.`,
    };
  },
  async prepare(params, world) {
    const chosen = await chosenOrThrow(params, world);
    const stopped = stoppedAlready(chosen.all);
    if (stopped !== undefined) {
      throw new ToolquakeError('NOT_ALLOWED', { message: `Process ${stopped.pid} is stopped already, and not by this run.` });
    }
    const { all, manager } = chosen;
    // Servers over stdio come and go with their callers. An undo that names nobody could never be seen to have worked.
    if (all.length === 0)
      throw new ToolquakeError('IMPOSSIBLE', { message: `There is nothing to stop: ${manager.about}: no process runs.` });
    return {
      hits: all.map(({ pid }) => `process ${pid} of ${manager.about}, stopped`),
      steps: [
        {
          name: `stop ${processNames(all)} of ${manager.about}`,
          undo: { kind: 'thaw-process', data: { processes: all.map((identity) => ({ ...identity })) } },
          async apply() {
            checkProtection(chosen);
            // Parents first: a stopped one has no further children. What starts in between stays as it is, since no undo knows of it.
            for (const identity of all) signalProcess(identity, 'SIGSTOP');
          },
        },
      ],
      isLasting: true,
      async verifyEffect() {
        const running = all.filter((identity) => findProcess(identity)?.state !== 'T');
        if (running.length > 0 || all.length === 0) return { isInEffect: false, proof: `not stopped: ${processNames(running)}` };
        return { isInEffect: true, proof: `stopped (state T): ${processNames(all)}` };
      },
      release: async () => {},
    };
  },
});

const stoppedAlready = (all: readonly ProcessIdentity[]): ProcessIdentity | undefined =>
  all.find((identity) => findProcess(identity)?.state === 'T');
