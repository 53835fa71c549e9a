/** The world of a preview: actions may look at everything in it, and what they see goes nowhere. */
import { realClock } from '@toolquake/sdk/interceptors';
import type { ActionWorld } from '../actions/action.js';
import type { LoadedExperiment } from '../config/load-experiment.js';
import { hostMs } from '../workers/host-clock.js';
import { startWorker } from '../workers/start-worker.js';

/** What it is made of. */
export type PreviewWorldOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly signal: AbortSignal;
  readonly folder: string;
  readonly tell: (line: string) => void;
};

/** There is no proxy of the run yet, so load and probes would go to the target itself. */
export function previewWorld({ experiment, target }: LoadedExperiment, { env, signal, folder, tell }: PreviewWorldOptions): ActionWorld {
  const startedAtMs = hostMs();
  return {
    runId: 'preview',
    runDirectory: folder,
    env,
    clock: realClock,
    nowMs: () => hostMs() - startedAtMs,
    signal,
    target,
    upstream: target,
    manager: experiment.manager,
    front: undefined,
    seed: experiment.dose.seed,
    onSample: () => {},
    startWorker: (role, config) => startWorker(role, config, { env }),
    tell,
  };
}
