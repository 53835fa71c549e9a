/** One at a time undoes a ledger: the runner, its warden, the sweep, or a person. */
import { setTimeout as delay } from 'node:timers/promises';
import { hostMs } from '../workers/host-clock.js';
import { takeLock, type LockView } from './numbered-lock.js';
import { ownerState, ownOwner, readOwner } from './owner.js';

const POLL_MS = 20;

/** The folder of the lock. */
const undoLockDirectory = (ledgerPath: string): string => `${ledgerPath}.lock`;

/**
 * Does the work while holding the lock. Whoever holds it for longer than `patienceMs`, or is stopped, is not waited for,
 * and where no lock can be made (a full disk) there is none: undoing twice harms nobody, not undoing does.
 */
export async function whileUndoing<Result>(ledgerPath: string, patienceMs: number, work: () => Promise<Result>): Promise<Result> {
  const untilMs = hostMs() + patienceMs;
  const mayTake = ({ record }: LockView): boolean => {
    const owner = readOwner(record?.['owner']);
    return owner === undefined || ['gone', 'stopped'].includes(ownerState(owner)) || hostMs() >= untilMs;
  };
  let release = (): void => {};
  for (;;) {
    try {
      const taken = takeLock(undoLockDirectory(ledgerPath), { owner: ownOwner() }, mayTake);
      if ('lock' in taken) {
        release = taken.lock.release;
        break;
      }
    } catch {
      break;
    }
    await delay(POLL_MS);
  }
  try {
    return await work();
  } finally {
    try {
      release();
    } catch {
      // Whoever comes next sees that we are gone, or loses patience.
    }
  }
}
