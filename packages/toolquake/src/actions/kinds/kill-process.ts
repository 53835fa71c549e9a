import type { JsonObject } from '@toolquake/sdk/core';
import type { EndSignal } from '../../managers/process-manager.js';
import { findProcess, signalProcess, type ProcessIdentity } from '../../undo/process-identity.js';
import { defineAction } from '../action.js';
import { CHOICE_FIELDS, OUTAGE_TRIP, scaleChoice } from '../chosen-processes.js';
import { checkKnown, checkProtection, chosenOrThrow, endFeasibility, ensureRunning, processNames, stillChosen } from '../process-steps.js';

const SIGNALS = ['TERM', 'INT', 'KILL'] as const satisfies readonly EndSignal[];
const signalOf = ({ signal }: JsonObject): EndSignal => SIGNALS.find((one) => one === signal) ?? 'TERM';

/** Ends the server, and leaves it to its manager to bring it back. */
export const killProcess = defineAction({
  type: 'kill-process',
  summary: 'Ends the process of the server, all replicas or some, and waits for the process manager to start it again.',
  blast: 'server',
  params: {
    ...CHOICE_FIELDS,
    signal: { kind: 'word', words: SIGNALS, about: 'TERM lets the server tidy up, KILL does not. TERM unless said otherwise.' },
  },
  worstCase: 'The server stays down until the undo starts it through its manager.',
  trips: [OUTAGE_TRIP],
  scale: scaleChoice,
  feasibility: (params, world) => endFeasibility(params, world, signalOf(params)),
  async prepare(params, world) {
    const chosen = await chosenOrThrow(params, world);
    checkKnown(chosen);
    const signal = signalOf(params);
    const hit: ProcessIdentity[] = [];
    return {
      hits: chosen.all.map(({ pid }) => `process ${pid} of ${chosen.manager.about}, SIG${signal}`),
      steps: [
        {
          name: `end ${processNames(chosen.all)} of ${chosen.manager.about} with SIG${signal}`,
          undo: ensureRunning(chosen),
          async apply() {
            const now = await stillChosen(chosen, params, world);
            checkProtection(now);
            checkKnown(now);
            for (const identity of now.all) if (signalProcess(identity, `SIG${signal}`)) hit.push(identity);
          },
        },
      ],
      async verifyEffect() {
        if (hit.length === 0) return { isInEffect: false, proof: `${processNames(chosen.all)} had ended before the signal` };
        const alive = hit.filter((identity) => findProcess(identity) !== undefined);
        if (alive.length > 0) return { isInEffect: false, proof: `still running after SIG${signal}: ${processNames(alive)}` };
        return { isInEffect: true, proof: `gone: ${processNames(hit)}` };
      },
      release: async () => {},
    };
  },
});
