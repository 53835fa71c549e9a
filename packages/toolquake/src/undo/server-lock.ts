/** One experiment at a time on a server, for all processes of this host that share a state folder. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { notWritable } from './append-line.js';
import type { LedgerLock } from './ledger-line.js';
import { takeLock, type LockView } from './numbered-lock.js';
import { ownerState, ownOwner, readOwner, type OwnerState } from './owner.js';
import { readLedger } from './read-ledger.js';
import { stateDirectory } from './state-directory.js';

type Env = Readonly<Record<string, string | undefined>>;

/** The server is ours. */
export type ServerLock = {
  /** For `openLedger`. The token only grows: whoever has a lower one is too late. */
  readonly place: LedgerLock;
  /** Reads the folder anew. False once a warden revoked it, or somebody else has the server. */
  isHeld(): boolean;
  /** Only when everything is undone, or nothing was ever done. */
  release(): void;
};

/** What taking the lock needs. `server`: the canonical target, never the caller's spelling. */
export type ServerLockOptions = { readonly env: Env; readonly server: string; readonly runId: string; readonly ledgerPath: string };

/** Takes the server, or throws `NOT_ALLOWED` and says who has it. Taken from a dead holder only when its ledger is clean. */
export function takeServerLock({ env, server, runId, ledgerPath }: ServerLockOptions): ServerLock {
  const directory = join(stateDirectory(env), 'locks', createHash('sha256').update(server).digest('hex').slice(0, 32));
  const taken = takeOrSayWhy(directory, { owner: { ...ownOwner() }, run: runId, ledger: ledgerPath, server });
  if ('heldBy' in taken) throw refusal(server, taken.heldBy);
  const { lock } = taken;
  return { place: { directory, token: lock.token }, isHeld: lock.isHeld, release: lock.release };
}

function takeOrSayWhy(directory: string, record: JsonObject): ReturnType<typeof takeLock> {
  try {
    return takeLock(directory, record, mayTake);
  } catch (cause) {
    throw notWritable(directory, cause);
  }
}

/** A holder that never got as far as a ledger changed nothing. */
function mayTake({ record }: LockView): boolean {
  const owner = readOwner(record?.['owner']);
  const ledger = record?.['ledger'];
  const state = owner === undefined ? 'alive' : ownerState(owner);
  if (state === 'alive' || state === 'stopped' || typeof ledger !== 'string') return false;
  try {
    const { isClean, isClosed } = readLedger(ledger);
    // Closed though not clean: a person looked, and forgot it. With a closed ledger nobody does anything any more, wherever he lives.
    return isClosed || (isClean && state === 'gone');
  } catch (error) {
    const cause = (error as Error).cause;
    return state === 'gone' && (cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
  }
}

const waitOrStop = (run: string): string => `Wait for it, or run "toolquake stop ${run}".`;

const ADVICE: Readonly<Record<OwnerState, (run: string) => string>> = {
  alive: waitOrStop,
  stopped: waitOrStop,
  gone: (run) => `Run "toolquake undo ${run}".`,
  // A container that was thrown away looks like one that cannot be seen from here.
  elsewhere: (run) =>
    `Run "toolquake stop ${run}". If that container or host is no more, put right what it changed, and run "toolquake undo ${run} --forget".`,
};

function refusal(server: string, { record, token }: LockView): ToolquakeError {
  const owner = readOwner(record?.['owner']);
  const run = typeof record?.['run'] === 'string' ? record['run'] : 'an unknown run';
  if (owner === undefined) {
    return new ToolquakeError('NOT_ALLOWED', {
      message: `The lock on ${server} (number ${token}) cannot be read, so who holds it is not known. Nothing was started.`,
      advice: 'If no experiment is running on this host, remove the folder "locks" in its state folder.',
    });
  }
  const state = ownerState(owner);
  const how = {
    alive: 'is running',
    stopped: 'is stopped, but not over',
    gone: 'ended and left something behind',
    elsewhere: 'runs elsewhere',
  };
  return new ToolquakeError('NOT_ALLOWED', {
    message: `Another experiment has ${server}: run ${run} (process ${owner.pid} on ${owner.host}) ${how[state]}. Nothing was started.`,
    advice: ADVICE[state](run),
  });
}
