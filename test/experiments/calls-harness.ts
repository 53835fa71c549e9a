/** Workers of the built program, and what they say. */
import { fileURLToPath } from 'node:url';
import type { JsonObject } from '@toolquake/sdk/core';
import { onTestFinished } from 'vitest';
import type { WorkerHandle } from '../../packages/toolquake/src/actions/action.js';
import type { Sample } from '../../packages/toolquake/src/core/sample.js';
import { hostMs } from '../../packages/toolquake/src/workers/host-clock.js';
import { startWorker } from '../../packages/toolquake/src/workers/start-worker.js';

const program = fileURLToPath(new URL('../../packages/toolquake/dist/experiment-worker.js', import.meta.url));

/** A sample of one call. */
export type CallSample = Sample & { readonly source: 'call' };

/** A worker that waits for `go`, until the end of the test. */
export async function worker(role: string, config: JsonObject): Promise<WorkerHandle> {
  const started = await startWorker(role, { startedAtHostMs: hostMs(), ...config }, { env: process.env, program });
  onTestFinished(() => started.stop());
  return started;
}

/** A workload, as a file of an experiment would say it. */
export const loadOf = (change: JsonObject = {}): JsonObject => ({
  tool: 'echo',
  arguments: { text: 'hi' },
  clients: 4,
  perSecond: 50,
  timeoutMs: 2000,
  retries: 0,
  retryDelayMs: 10,
  ...change,
});

/** What a load worker said so far, sorted. */
export function listen(from: WorkerHandle): {
  readonly calls: { readonly key: string; readonly sample: CallSample }[];
  readonly tasks: (Sample & { readonly source: 'task' })[];
  readonly other: JsonObject[];
} {
  const heard = {
    calls: [] as { key: string; sample: CallSample }[],
    tasks: [] as (Sample & { source: 'task' })[],
    other: [] as JsonObject[],
  };
  from.onMessage((message) => {
    const sample = message['sample'] as Sample | undefined;
    if (sample?.source === 'call') heard.calls.push({ key: String(message['key']), sample });
    else if (sample?.source === 'task') heard.tasks.push(sample);
    else heard.other.push(message);
  });
  return heard;
}
