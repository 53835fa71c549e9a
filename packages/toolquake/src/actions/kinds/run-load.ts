import type { JsonObject } from '@toolquake/sdk/core';
import { isObject } from '@toolquake/sdk/core';
import type { LoadSpec } from '../../core/experiment.js';
import type { Sample } from '../../core/sample.js';
import { defineAction } from '../action.js';
import { prepareWorker } from '../worker-step.js';

const HOUR_MS = 3_600_000;

/** More callers for a while: straight to the target, past the proxy of the run. */
export const runLoad = defineAction({
  type: 'run-load',
  summary: 'Calls a tool of the target at a fixed rate, besides the load of the experiment.',
  blast: 'server',
  params: {
    tool: { kind: 'text', isRequired: true, about: 'The tool.' },
    arguments: { kind: 'value', about: 'Its arguments; {operation} in texts is another name for each operation.' },
    clients: {
      kind: 'whole',
      min: 1,
      max: 1000,
      about: 'Callers at once; 4 unless told otherwise. Over stdio each has a server process of its own.',
    },
    perSecond: { kind: 'whole', min: 1, max: 10_000, isRequired: true, about: 'Calls a second of all callers together.' },
    timeout: { kind: 'time', max: HOUR_MS, about: 'How long a caller waits for an answer; 10 s unless told otherwise.' },
    retries: { kind: 'whole', min: 0, max: 100, about: 'How often a caller tries again; 0 unless told otherwise.' },
    retryDelay: { kind: 'time', max: HOUR_MS, about: 'From one try to the next, doubled each time; 100 ms unless told otherwise.' },
    notEmpty: { kind: 'text', about: 'A path into the answer that must hold something.' },
  },
  worstCase: 'The server is as busy as the rate says, until the step ends.',
  trips: [],
  brings: ['call'],
  scale(params, share) {
    const { perSecond, clients } = specOf(params);
    return { ...params, perSecond: Math.max(1, Math.round(perSecond * share)), clients: Math.max(1, Math.ceil(clients * share)) };
  },
  feasibility: async (_params, { upstream }) => ({
    isFeasible: true,
    how: upstream.target.kind === 'url' ? 'over HTTP' : 'over stdio: each caller starts a server process of its own',
  }),

  async prepare(params, world) {
    const load = specOf(params);
    const ends = new Map<string, number>();
    const worker = await prepareWorker(
      {
        role: 'load',
        name: `call ${load.tool} ${load.perSecond} times a second`,
        config: { load, target: world.upstream.target as unknown as JsonObject },
      },
      world,
      (message) => {
        if (message['kind'] !== 'sample' || !isObject(message['sample'])) return;
        const sample = message['sample'] as Sample;
        if (sample.source !== 'call') return;
        ends.set(sample.end, (ends.get(sample.end) ?? 0) + 1);
        // What is besides the load of the experiment is part of what disturbs it.
        world.onSample({ ...sample, lane: 'faulted' });
      },
    );
    return {
      hits: [`${load.perSecond} calls a second of ${load.tool} by ${load.clients} callers, to ${world.upstream.target.name}`],
      steps: [worker.step],
      async verifyEffect() {
        const said = [...ends].map(([end, count]) => `${count} ${end}`).join(', ');
        return { isInEffect: ends.size > 0, proof: ends.size === 0 ? 'no call has ended yet' : said };
      },
      release: worker.release,
    };
  },
});

function specOf(params: JsonObject): LoadSpec {
  const { tool, clients = 4, perSecond, timeout = 10_000, retries = 0, retryDelay = 100, notEmpty } = params;
  const given = params['arguments'];
  return {
    tool: String(tool),
    arguments: isObject(given) ? given : {},
    clients: Number(clients),
    perSecond: Number(perSecond),
    timeoutMs: Number(timeout),
    retries: Number(retries),
    retryDelayMs: Number(retryDelay),
    ...(typeof notEmpty === 'string' ? { notEmpty } : {}),
  };
}
