import { setTimeout as delay } from 'node:timers/promises';
import { defineUndo } from '../../core/undo-step.js';
import { descendantsOf } from '../../managers/process-table.js';
import { ownerState, readOwner, type Owner } from '../owner.js';
import { findProcess, identify, signalProcess, type ProcessIdentity } from '../process-identity.js';

const POLL_MS = 20;
const DEFAULT_GRACE_MS = 1000;

/**
 * Ends a process of ours with all that it started: asks first, then insists. A later process with the same number is never
 * touched. A server that hangs behind a worker, or behind a script that the worker started, must not outlive it unseen.
 */
export const endProcess = defineUndo({
  kind: 'end-process',
  summary: 'Ends a process that the run started.',
  async undo(data, { signal }) {
    const owner = readOwner(data);
    if (owner === undefined || ownerState(owner) === 'elsewhere') return;
    const graceMs = typeof data['graceMs'] === 'number' && data['graceMs'] >= 0 ? data['graceMs'] : DEFAULT_GRACE_MS;
    // Before it is asked: whoever outlives it has another parent then.
    const family = familyOf(owner);
    if (!signalProcess(owner, 'SIGTERM')) return;
    // A stopped process takes its signals only when it goes on.
    signalProcess(owner, 'SIGCONT');
    if (!(await isGoneWithin([owner], graceMs, signal))) {
      family.push(...familyOf(owner));
      signalProcess(owner, 'SIGKILL');
    }
    for (const one of family) signalProcess(one, 'SIGKILL');
    await isGoneWithin([owner, ...family], Number.POSITIVE_INFINITY, signal);
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

const familyOf = (owner: Owner): ProcessIdentity[] =>
  findProcess(owner) === undefined ? [] : descendantsOf(owner.pid).flatMap((pid) => identify(pid) ?? []);

async function isGoneWithin(all: readonly ProcessIdentity[], withinMs: number, signal: AbortSignal): Promise<boolean> {
  const isGone = (): boolean => all.every((one) => findProcess(one) === undefined);
  for (let waitedMs = 0; waitedMs < withinMs && !signal.aborted; waitedMs += POLL_MS) {
    if (isGone()) return true;
    await delay(POLL_MS);
  }
  return isGone();
}
