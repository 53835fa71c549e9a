import { managerData } from '../../managers/reopen-manager.js';
import { findProcess } from '../../undo/process-identity.js';
import { defineAction } from '../action.js';
import { isRefused, OUTAGE_TRIP } from '../chosen-processes.js';
import { checkProtection, chosenOrThrow, ensureRunning, lookForProcesses, processNames, stillChosen } from '../process-steps.js';
import { prepareWorker } from '../worker-step.js';

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
    if (spec.kind === 'pm2' || spec.kind === 'systemd' || spec.kind === 'docker') {
      const { processes, expected = processes.length } = await chosen.manager.look();
      if (processes.length >= expected) return { isFeasible: true, how: `restarted through ${about}` };
      return {
        isFeasible: false,
        // What somebody has stopped on purpose would run afterwards, and no undo stops it again.
        why: `${about}: only ${processes.length} of ${expected} processes run, and a restart would start the others`,
        act: 'Start them, or delete them, before the experiment.',
      };
    }
    return {
      isFeasible: false,
      why: `${about}: there is no manager to ask for a restart`,
      act: 'Name a PM2, systemd or Docker process in "manager", or take kill-process.',
    };
  },
  async prepare(params, world) {
    const chosen = await chosenOrThrow({}, world);
    const { manager } = chosen;
    const more = numberOf(params['times'], 1) - 1;
    const gapMs = numberOf(params['gap'], 10_000);
    let restarted = chosen;
    let last = '';
    const worker =
      more === 0
        ? undefined
        : await prepareWorker(
            {
              role: 'restarts',
              name: `restart ${manager.about} ${more} more ${more === 1 ? 'time' : 'times'}`,
              config: { ...managerData(manager), times: more, gapMs },
            },
            world,
            ({ kind, done, why }) => {
              last = kind === 'failed' ? `; a later restart failed: ${String(why)}` : `; restarted ${Number(done) + 1} times so far`;
              if (kind === 'failed') world.tell(`A restart of ${manager.about} failed: ${String(why)}`);
            },
          );
    return {
      hits: chosen.all.map(({ pid }) => `process ${pid} of ${manager.about}, restarted`),
      steps: [
        {
          name: `restart ${manager.about}`,
          undo: ensureRunning(chosen),
          async apply() {
            restarted = await stillChosen(chosen, {}, world);
            checkProtection(restarted);
            await manager.restart();
          },
        },
        // Last in, first out: nobody restarts the server any more when it is looked at.
        ...(worker === undefined ? [] : [worker.step]),
      ],
      async verifyEffect() {
        const alive = restarted.all.filter((identity) => findProcess(identity) !== undefined);
        if (alive.length > 0) return { isInEffect: false, proof: `still the same: ${processNames(alive)}` };
        return { isInEffect: true, proof: `gone: ${processNames(restarted.all)}${last}` };
      },
      release: async () => worker?.release(),
    };
  },
});
