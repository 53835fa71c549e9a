import { setTimeout as delay } from 'node:timers/promises';
import { defineUndo } from '../../core/undo-step.js';
import { ownerState, readOwner, type Owner } from '../owner.js';
import { signalProcess } from '../process-identity.js';

const POLL_MS = 20;
const DEFAULT_GRACE_MS = 1000;

/** Ends a process of ours: asks first, then insists. A later process with the same number is never touched. */
export const endProcess = defineUndo({
  kind: 'end-process',
  summary: 'Ends a process that the run started.',
  async undo(data, { signal }) {
    const owner = readOwner(data);
    if (owner === undefined || ownerState(owner) === 'elsewhere') return;
    const graceMs = typeof data['graceMs'] === 'number' && data['graceMs'] >= 0 ? data['graceMs'] : DEFAULT_GRACE_MS;
    if (!signalProcess(owner, 'SIGTERM')) return;
    // A stopped process takes its signals only when it goes on.
    signalProcess(owner, 'SIGCONT');
    if (await isGoneWithin(owner, graceMs, signal)) return;
    signalProcess(owner, 'SIGKILL');
    await isGoneWithin(owner, Number.POSITIVE_INFINITY, signal);
  },
  async verify(data) {
    const owner = readOwner(data);
    if (owner === undefined) return { is: 'not-undone', why: 'the ledger does not say which process it was' };
    switch (ownerState(owner)) {
      case 'gone':
        return { is: 'gone', proof: `process ${owner.pid} is not there any more` };
      case 'elsewhere':
        return { is: 'not-undone', why: `process ${owner.pid} lives in another container or on another host (${owner.host})` };
      default:
        return { is: 'not-undone', why: `process ${owner.pid} is still running` };
    }
  },
});

async function isGoneWithin(owner: Owner, withinMs: number, signal: AbortSignal): Promise<boolean> {
  for (let waitedMs = 0; waitedMs < withinMs && !signal.aborted; waitedMs += POLL_MS) {
    if (ownerState(owner) === 'gone') return true;
    await delay(POLL_MS);
  }
  return ownerState(owner) === 'gone';
}
