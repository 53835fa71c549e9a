/** A thread that does runs of one scenario, one after the other, as it is asked. */
import { parentPort, workerData } from 'node:worker_threads';
import type { JsonObject } from '@toolquake/sdk/core';
import { createJobRunner, type ScenarioJob } from './scenario-jobs.js';

const { source, keepsEntries, everyCall } = workerData as { source: JsonObject; keepsEntries: boolean; everyCall: boolean };
const runner = createJobRunner(source);

parentPort?.on('message', ({ index, job }: { index: number; job: ScenarioJob }) => {
  const { run, outcome } = runner.start(job, { keepsEntries, everyCall });
  const summary = run.run();
  if (summary !== undefined) parentPort?.postMessage({ index, outcome: outcome(summary) });
});
