import { isObject, type JsonObject } from '@toolquake/sdk/core';
import type { Sample } from '../../core/sample.js';
import type { Holding } from '../../workers/holding-book.js';
import { defineAction } from '../action.js';
import { hasTried, holdingProof } from '../holding-proof.js';
import { prepareWorker } from '../worker-step.js';

/** So long may it take until all sessions have knocked; then what there is counts. */
const OPEN_MS = 50_000;
const HOUR_MS = 3_600_000;
const HOST = { windowMs: 5000, minSamples: 2, forMs: 2000, origin: 'exhaust-pool' } as const;

/** More sessions than the server has connections: does it queue, refuse, or say nothing? The holder dies with the lease. */
export const exhaustPool = defineAction({
  type: 'exhaust-pool',
  summary: 'Opens far more sessions than the server has connections for, each with a call now and then, and holds them.',
  blast: 'server',
  params: {
    sessions: {
      kind: 'whole',
      min: 1,
      max: 5000,
      isRequired: true,
      about: 'Sessions at once: far more than the pool has connections. Over stdio each starts a server process of its own.',
    },
    tool: { kind: 'text', isRequired: true, about: 'A tool that needs a connection of the pool.' },
    arguments: { kind: 'value', about: 'Its arguments.' },
    every: { kind: 'time', max: HOUR_MS, about: 'From one call of a session to its next; 1 s unless told otherwise.' },
    timeout: { kind: 'time', max: HOUR_MS, about: 'How long a session waits for an answer; 10 s unless told otherwise.' },
    notEmpty: { kind: 'text', about: 'A path into the answer that must hold something: else it counts as an answer with nothing.' },
  },
  worstCase: 'The pool has no connection left for anybody, and the host may run short of memory or processor time.',
  trips: [
    { signal: 'host_memory', above: 0.8, ...HOST },
    { signal: 'host_cpu', above: 0.9, ...HOST },
  ],
  brings: ['call'],
  scale: (params, share) => ({ ...params, sessions: Math.max(1, Math.round(Number(params['sessions']) * share)) }),
  feasibility: async (params, { upstream }) => ({
    isFeasible: true,
    how:
      upstream.target.kind === 'url'
        ? `${String(params['sessions'])} sessions over HTTP, which share the server`
        : `${String(params['sessions'])} server processes over stdio, each with a pool of its own: what they share is what stands behind them`,
  }),

  async prepare(params, world) {
    const { sessions, tool, every = 1000, timeout = 10_000, notEmpty } = params;
    const given = params['arguments'];
    let holding: Holding | undefined;
    const call = { tool: String(tool), arguments: isObject(given) ? given : {}, timeoutMs: Number(timeout), notEmpty };
    const config = { target: world.upstream.target as unknown as JsonObject, call, sessions, everyMs: every };
    let onHolding = (): void => {};
    const worker = await prepareWorker({ role: 'hold-sessions', name: `hold ${String(sessions)} sessions`, config }, world, (message) => {
      // Both come from our own worker.
      if (message['kind'] === 'holding') {
        holding = message as unknown as Holding;
        onHolding();
      }
      if (message['kind'] === 'sample' && isObject(message['sample']))
        world.onSample({ ...(message['sample'] as Sample & { source: 'call' }), lane: 'faulted' });
    });
    /** Hundreds of servers over stdio take longer to start than an effect may take to show. */
    const haveTried = (): Promise<void> =>
      new Promise((resolve) => {
        const settle = (): void => {
          stop();
          resolve();
        };
        const stop = world.clock.schedule(OPEN_MS, settle);
        onHolding = () => hasTried(holding) && settle();
        void worker.ended.then(settle);
      });
    return {
      hits: [`${String(sessions)} sessions of ${world.upstream.target.name}, each calling ${String(tool)} every ${String(every)} ms`],
      steps: [
        {
          ...worker.step,
          async apply() {
            await worker.step.apply();
            await haveTried();
          },
        },
      ],
      verifyEffect: async () => holdingProof(holding),
      release: worker.release,
    };
  },
});
