/** Does the runs of a scenario on all cores; outcomes come back in the order of the jobs, however they finished. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import type { JournalSink, JsonObject } from '@toolquake/sdk/core';
import { packageFolder } from '../config/shipped-scenarios.js';
import { createJobRunner, type ScenarioJob, type ScenarioOutcome } from './scenario-jobs.js';

/** What is to be done, and who hears of it. */
export type PoolOptions = {
  readonly source: JsonObject;
  readonly jobs: readonly ScenarioJob[];
  readonly keepsEntries: boolean;
  readonly everyCall: boolean;
  /** Threads; 0 or 1: no thread but our own. */
  readonly threads: number;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((share: number) => void) | undefined;
  /** Called in the order of the jobs. Slow takers are waited for. */
  readonly onOutcome: (outcome: ScenarioOutcome, job: ScenarioJob) => Promise<void> | void;
  /** Entries as they come, instead of kept until the end of a run: for journals of every call. In our own thread only. */
  readonly onEntry?: JournalSink | undefined;
  /** Waits until entries that came are where they belong; asked now and then, where there is an `onEntry`. */
  readonly onPause?: (() => Promise<void>) | undefined;
};

/** Events between two looks at the world outside. */
const SLICE_EVENTS = 20_000;
/** Jobs handed out ahead of the oldest one that is not finished, per thread: what waits for its turn stays bounded. */
const AHEAD = 4;

/** How many threads are worth starting; one for each core, unless somebody wants another number. */
export function threadsFor(jobs: number, wanted: number = availableParallelism()): number {
  return Math.min(wanted, jobs);
}

/** Does all jobs. */
export function doJobs(options: PoolOptions): Promise<void> {
  return options.threads <= 1 || options.onEntry !== undefined ? doAllHere(options) : doOnThreads(options);
}

async function doAllHere(options: PoolOptions): Promise<void> {
  const { source, jobs, keepsEntries, everyCall, signal, onProgress, onOutcome, onEntry, onPause } = options;
  const runner = createJobRunner(source);
  for (const [index, job] of jobs.entries()) {
    const { run, outcome } = runner.start(job, { keepsEntries, everyCall, onEntry });
    for (;;) {
      const summary = run.run(SLICE_EVENTS);
      onProgress?.((index + run.progress()) / jobs.length);
      await setImmediate();
      if (onEntry !== undefined) await onPause?.();
      signal?.throwIfAborted();
      if (summary === undefined) continue;
      await onOutcome(outcome(summary), job);
      break;
    }
  }
}

async function doOnThreads({ source, jobs, keepsEntries, everyCall, threads, signal, onProgress, onOutcome }: PoolOptions): Promise<void> {
  const file = join(packageFolder(), 'dist/scenario-worker.js');
  // Calls live as long as their timeouts: with room for the young, most of them die before anybody has to copy them.
  const resourceLimits = { maxYoungGenerationSizeMb: 64 };
  const workers = Array.from(
    { length: threads },
    () => new Worker(file, { workerData: { source, keepsEntries, everyCall }, resourceLimits }),
  );
  const finished = new Map<number, ScenarioOutcome>();
  let handedOut = 0;
  let delivered = 0;
  let done = 0;
  try {
    await new Promise<void>((resolve, reject) => {
      const idle = new Set(workers);
      let isDelivering = false;
      const handOut = (): void => {
        for (const worker of idle) {
          if (handedOut >= jobs.length || handedOut - delivered >= AHEAD * threads) return;
          idle.delete(worker);
          worker.postMessage({ index: handedOut, job: jobs[handedOut] });
          handedOut++;
        }
      };
      const deliver = async (): Promise<void> => {
        if (isDelivering) return;
        isDelivering = true;
        for (let next = finished.get(delivered); next !== undefined; next = finished.get(delivered)) {
          finished.delete(delivered);
          await onOutcome(next, jobs[delivered]!);
          delivered++;
          handOut();
        }
        isDelivering = false;
        if (delivered === jobs.length) resolve();
      };
      for (const worker of workers) {
        worker.on('error', reject);
        worker.on('message', ({ index, outcome }: { index: number; outcome: ScenarioOutcome }) => {
          finished.set(index, outcome);
          idle.add(worker);
          onProgress?.(++done / jobs.length);
          handOut();
          deliver().catch(reject);
        });
      }
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
      if (signal?.aborted === true) reject(signal.reason as Error);
      handOut();
    });
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}
