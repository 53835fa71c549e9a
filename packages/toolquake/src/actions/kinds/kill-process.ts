import type { JsonObject } from '@toolquake/sdk/core';
import type { EndSignal } from '../../managers/process-manager.js';
import { findProcess, signalProcess, type ProcessIdentity } from '../../undo/process-identity.js';
import { defineAction } from '../action.js';
import { CHOICE_FIELDS, OUTAGE_TRIP, scaleChoice } from '../chosen-processes.js';
import { checkProtection, chosenOrThrow, endFeasibility, ensureRunning, processNames } from '../process-steps.js';

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
    const signal = signalOf(params);
    const what = `${processNames(chosen)} of ${chosen.manager.about}`;
    const hit: ProcessIdentity[] = [];
    return {
      hits: chosen.processes.map(({ identity }) => `process ${identity.pid} of ${chosen.manager.about}, SIG${signal}`),
      steps: [
        {
          name: `end ${what} with SIG${signal}`,
          undo: ensureRunning(chosen),
          async apply() {
            checkProtection(chosen);
            for (const { identity } of chosen.processes) if (signalProcess(identity, `SIG${signal}`)) hit.push(identity);
          },
        },
      ],
      async verifyEffect() {
        if (hit.length === 0) return { isInEffect: false, proof: `${what} had ended before the signal` };
        const alive = hit.filter((identity) => findProcess(identity) !== undefined).map(({ pid }) => pid);
        if (alive.length > 0) return { isInEffect: false, proof: `still running after SIG${signal}: ${alive.join(', ')}` };
        return { isInEffect: true, proof: `gone: ${hit.map(({ pid }) => pid).join(', ')}` };
      },
      release: async () => {},
    };
  },
});
