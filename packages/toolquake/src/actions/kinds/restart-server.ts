import type { PreparedStep } from '../../core/prepared-action.js';
import { findProcess } from '../../undo/process-identity.js';
import { defineAction, type ActionWorld } from '../action.js';
import { isRefused, OUTAGE_TRIP } from '../chosen-processes.js';
import { checkProtection, chosenOrThrow, ensureRunning, lookForProcesses, processNames, stillChosen } from '../process-steps.js';

const numberOf = (value: unknown, otherwise: number): number => (typeof value === 'number' ? value : otherwise);

/** What a deployment does to a server, without a new build. */
export const restartServer = defineAction({
  type: 'restart-server',
  summary: 'Restarts the server through its process manager, once or several times, as a deployment would.',
  blast: 'server',
  params: {
    times: { kind: 'whole', min: 1, max: 100, about: 'How often. Once unless said otherwise.' },
    gap: { kind: 'time', max: 600_000, about: 'From one restart to the next. 10s unless said otherwise.' },
  },
  worstCase: 'The server does not come up again, and stays down until the undo starts it through its manager.',
  trips: [OUTAGE_TRIP],
  scale: (params, share) => ({ ...params, times: Math.max(1, Math.ceil(numberOf(params['times'], 1) * share)) }),
  async feasibility(_params, world) {
    const chosen = await lookForProcesses({}, world);
    if (isRefused(chosen)) return chosen;
    const { spec, about } = chosen.manager;
    if (spec.kind === 'pm2' || spec.kind === 'systemd' || spec.kind === 'docker')
      return { isFeasible: true, how: `restarted through ${about}` };
    return {
      isFeasible: false,
      why: `${about}: there is no manager to ask for a restart`,
      act: 'Name a PM2, systemd or Docker process in "manager", or take kill-process.',
    };
  },
  async prepare(params, world) {
    const chosen = await chosenOrThrow({}, world);
    const { manager } = chosen;
    let restarted = chosen;
    const times = numberOf(params['times'], 1);
    const gapMs = numberOf(params['gap'], 10_000);
    const undo = ensureRunning(chosen);
    const steps = Array.from({ length: times }, (_, index): PreparedStep => ({
      name: `restart ${manager.about}${times === 1 ? '' : ` (${index + 1} of ${times})`}`,
      undo,
      async apply() {
        if (index > 0) await waitFor(gapMs, world);
        const now = await stillChosen(chosen, {}, world);
        if (index === 0) restarted = now;
        checkProtection(now);
        await manager.restart();
      },
    }));
    return {
      hits: chosen.all.map(({ pid }) => `process ${pid} of ${manager.about}, restarted`),
      steps,
      async verifyEffect() {
        const alive = restarted.all.filter((identity) => findProcess(identity) !== undefined);
        if (alive.length > 0) return { isInEffect: false, proof: `still the same: ${processNames(alive)}` };
        return { isInEffect: true, proof: `gone: ${processNames(restarted.all)}` };
      },
      release: async () => {},
    };
  },
});

/** Ends early, as an error, when the run is stopped: no restart may come after that. */
function waitFor(ms: number, { clock, signal }: Pick<ActionWorld, 'clock' | 'signal'>): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(asError(signal));
    const stopped = (): void => {
      cancel();
      reject(asError(signal));
    };
    const cancel = clock.schedule(ms, () => {
      signal.removeEventListener('abort', stopped);
      resolve();
    });
    signal.addEventListener('abort', stopped, { once: true });
  });
}

const asError = ({ reason }: AbortSignal): Error => (reason instanceof Error ? reason : new Error('The run was stopped.'));
