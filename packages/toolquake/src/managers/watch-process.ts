/** Samples of the server's process. Between two questions to the manager, which are dear, the kernel says whether it is still there. */
import type { Clock } from '@toolquake/sdk/core';
import type { Sample } from '../core/sample.js';
import { findProcess } from '../undo/process-identity.js';
import { every } from './every.js';
import type { ProcessLook, ProcessManager } from './process-manager.js';
import { uptimeMs } from './process-table.js';

/** What watching needs. `nowMs`: since the start of the run. */
export type WatchOptions = {
  readonly everyMs: number;
  readonly nowMs: () => number;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly onSample: (sample: Sample) => void;
};

/** While nothing changes, the manager is asked this rarely. */
const ASK_EVERY_MS = 5000;

/** Resolves when the signal aborts. A manager that does not answer gives no sample: silence is what tripwires are about. */
export async function watchProcess(manager: ProcessManager, options: WatchOptions): Promise<void> {
  let first: number | undefined;
  let last: { readonly look: ProcessLook; readonly atMs: number } | undefined;
  await every(options, async () => {
    const isFresh = last !== undefined && options.nowMs() - last.atMs < ASK_EVERY_MS && isUnchanged(last.look);
    if (!isFresh) {
      last = undefined;
      try {
        last = { look: await manager.look(), atMs: options.nowMs() };
      } catch {
        return;
      }
    }
    if (last === undefined) return;
    const { look } = last;
    first ??= look.restarts;
    if (!options.signal.aborted) options.onSample(processSample(look, first, options.nowMs()));
  });
}

/** Of several replicas the youngest counts: it is the one that was restarted. Restarts count from the first look. */
export function processSample({ processes, restarts, expected }: ProcessLook, first: number | undefined, atMs: number): Sample {
  const youngest = processes.at(-1);
  const isWhole = youngest !== undefined && processes.length >= (expected ?? 1);
  return {
    source: 'process',
    atMs,
    pid: isWhole ? youngest.identity.pid : 0,
    uptimeMs: isWhole ? uptimeMs(youngest.identity.startTicks) : 0,
    // A manager whose counter was set back has nothing less than none.
    ...(restarts === undefined ? {} : { restarts: Math.max(0, restarts - (first ?? restarts)) }),
    ...(processes.length > 1 ? { processes: processes.length } : {}),
  };
}

/** Less than whole is asked about each time: that is when something is about to happen. */
const isUnchanged = ({ processes, expected }: ProcessLook): boolean =>
  processes.length > 0 && processes.length >= (expected ?? 1) && processes.every((one) => findProcess(one.identity) !== undefined);
