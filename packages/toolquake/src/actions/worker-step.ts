/** A worker child of an action: it waits until its end is in the ledger, and ends by it, by its lifeline, or with the run. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { PreparedStep } from '../core/prepared-action.js';
import { endProcessUndo } from '../undo/end-process-undo.js';
import { identify } from '../undo/process-identity.js';
import { hostMs } from '../workers/host-clock.js';
import type { ActionWorld } from './action.js';

/** Hundreds of connections, or of servers over stdio, take a moment to say goodbye. */
const GRACE_MS = 1500;

/** The step that lets it go, and what it says afterwards. */
export type WorkerStep = { readonly step: PreparedStep; readonly ended: Promise<unknown>; release(): Promise<void> };

/** Starts the child, which does nothing yet. */
export async function prepareWorker(
  { role, name, config }: { readonly role: string; readonly name: string; readonly config: JsonObject },
  world: Pick<ActionWorld, 'startWorker' | 'nowMs'>,
  onMessage: (message: JsonObject) => void,
): Promise<WorkerStep> {
  const worker = await world.startWorker(role, { ...config, startedAtHostMs: hostMs() - world.nowMs() });
  worker.onMessage(onMessage);
  if (identify(worker.pid) === undefined) {
    await worker.stop();
    throw new Error(`The worker "${role}" ended before it began.`);
  }
  let hasBegun = false;
  return {
    step: {
      name: `${name} (process ${worker.pid})`,
      undo: endProcessUndo(worker.pid, GRACE_MS),
      async apply() {
        hasBegun = true;
        worker.go();
      },
    },
    ended: worker.ended,
    // Who was let go is ended by the undo. Who was not holds nothing but a place.
    release: async () => (hasBegun ? undefined : worker.stop()),
  };
}
