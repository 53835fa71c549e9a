import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import type { PreparedStep } from '../../core/prepared-action.js';
import { descendantsOf } from '../../managers/process-table.js';
import { findProcess, identify, signalProcess, type ProcessIdentity } from '../../undo/process-identity.js';
import { defineAction } from '../action.js';
import { chooseProcesses, CHOICE_FIELDS, isRefused, OUTAGE_TRIP, scaleChoice, type ChosenProcesses } from '../chosen-processes.js';
import { checkProtection, chosenOrThrow, processNames } from '../process-steps.js';

/** The server is there, holds its connections, and answers nothing. */
export const freezeProcess = defineAction({
  type: 'freeze-process',
  summary: 'Stops the process of the server without ending it: its connections stay open, and nothing is answered.',
  blast: 'server',
  params: {
    ...CHOICE_FIELDS,
    withChildren: { kind: 'flag', about: 'Stops the children of the process, too. Only the process itself unless said otherwise.' },
  },
  worstCase: 'Every call hangs until the process goes on; callers without a timeout wait as long.',
  trips: [OUTAGE_TRIP],
  scale: scaleChoice,
  async feasibility(params, world) {
    const chosen = await chooseProcesses(params, world);
    if (isRefused(chosen)) return chosen;
    const stopped = chosen.processes.find(({ identity }) => findProcess(identity)?.state === 'T');
    if (stopped === undefined) return { isFeasible: true, how: `SIGSTOP and SIGCONT to ${processNames(chosen)}` };
    // Our undo would let go on what somebody else has stopped.
    return {
      isFeasible: false,
      why: `process ${stopped.identity.pid} is stopped already, and not by this run`,
      act: `Let it go on first (kill -CONT ${stopped.identity.pid}), or clean up what an earlier run left behind.`,
    };
  },
  async prepare(params, world) {
    const chosen = await chosenOrThrow(params, world);
    const groups = chosen.processes.map(({ identity }) => frozenGroup(identity, chosen, params));
    const all = groups.flat();
    return {
      hits: all.map(({ pid }) => `process ${pid} of ${chosen.manager.about}, stopped`),
      steps: groups.map((group) => freezeStep(group, chosen)),
      async verifyEffect() {
        const running = all.filter((identity) => findProcess(identity)?.state !== 'T').map(({ pid }) => pid);
        if (running.length > 0) return { isInEffect: false, proof: `not stopped: ${running.join(', ')}` };
        return { isInEffect: true, proof: `stopped (state T): ${all.map(({ pid }) => pid).join(', ')}` };
      },
      release: async () => {},
    };
  },
});

/** Parents first: a stopped parent has no further children. What starts in between stays as it is, since no undo knows of it. */
function frozenGroup(identity: ProcessIdentity, chosen: ChosenProcesses, { withChildren }: JsonObject): readonly ProcessIdentity[] {
  const children = withChildren === true ? descendantsOf(identity.pid).flatMap((pid) => identify(pid) ?? []) : [];
  const group = [identity, ...children];
  for (const { pid } of children) {
    const why = chosen.protection(pid);
    if (why !== undefined) throw new ToolquakeError('NOT_ALLOWED', { message: `Process ${pid} must not be stopped: ${why}.` });
  }
  const stopped = group.find((one) => findProcess(one)?.state === 'T');
  if (stopped === undefined) return group;
  throw new ToolquakeError('NOT_ALLOWED', { message: `Process ${stopped.pid} is stopped already, and not by this run.` });
}

const freezeStep = (group: readonly ProcessIdentity[], chosen: ChosenProcesses): PreparedStep => ({
  name: `stop ${group.length === 1 ? 'process' : 'processes'} ${group.map(({ pid }) => pid).join(', ')} of ${chosen.manager.about}`,
  undo: { kind: 'thaw-process', data: { processes: group.map((identity) => ({ ...identity })) } },
  async apply() {
    checkProtection(chosen);
    for (const identity of group) signalProcess(identity, 'SIGSTOP');
  },
});
