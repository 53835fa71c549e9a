/** What an action needs of the world to be done by a test. */
import { fileURLToPath } from 'node:url';
import { realClock } from '@toolquake/sdk/interceptors';
import type { ActionWorld } from '../../../packages/toolquake/src/actions/action.js';
import { startWorker } from '../../../packages/toolquake/src/workers/start-worker.js';

/** The built worker program. */
export const WORKER: string = fileURLToPath(new URL('../../../packages/toolquake/dist/experiment-worker.js', import.meta.url));

/** `url` is the target of the experiment. */
export function actionWorld({
  env = {},
  url = 'http://127.0.0.1:1/mcp',
  worker = WORKER,
}: { readonly env?: NodeJS.ProcessEnv; readonly url?: string; readonly worker?: string } = {}): ActionWorld {
  // Only where it is matters here.
  const target = { target: { kind: 'url' as const, name: 'shop', url } } as ActionWorld['target'];
  return {
    runId: 'run-of-a-test',
    runDirectory: '/tmp',
    env: { ...process.env, ...env },
    clock: realClock,
    nowMs: () => performance.now(),
    signal: new AbortController().signal,
    target,
    upstream: target,
    manager: undefined,
    front: undefined,
    seed: 7,
    onSample: () => {},
    startWorker: (role, config) => startWorker(role, config, { env: process.env, program: worker }),
    tell: () => {},
  };
}
