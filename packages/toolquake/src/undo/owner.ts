/** Who wrote something down: a process, unmistakably, with where it lives, so that nobody takes a stranger for dead. */
import { readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { isObject, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { bootId, findProcess, identify, type ProcessIdentity } from './process-identity.js';

/** A process of this product that owns a run, a lock, or the watch over a run. */
export type Owner = ProcessIdentity & {
  readonly host: string;
  /** Containers on one host share its boot, but number their processes from 1. */
  readonly pidNamespace: string;
};

/** `elsewhere`: it lives where we cannot look, another container or another host with the same folder. */
export type OwnerState = 'alive' | 'stopped' | 'gone' | 'elsewhere';

function ownNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

/** This process. Rejects where the host cannot tell one process from a later one with the same number. */
export function ownOwner(): Owner {
  const identity = identify(process.pid);
  if (identity === undefined || identity.bootId === '') {
    throw new ToolquakeError('NOT_ALLOWED', {
      message:
        'This host has no /proc, so a process cannot be told from a later one with the same number, and nothing could be undone safely.',
      advice: 'Run experiments on Linux, for example in a container.',
    });
  }
  return { ...identity, host: hostname(), pidNamespace: ownNamespace() };
}

/** Looks whether the process is still there. A boot in between ends every process of the host. */
export function ownerState(owner: Owner): OwnerState {
  if (owner.bootId !== bootId()) return owner.host === hostname() ? 'gone' : 'elsewhere';
  if (owner.pidNamespace !== ownNamespace()) return 'elsewhere';
  const found = findProcess(owner);
  if (found === undefined) return 'gone';
  return found.state === 'T' || found.state === 't' ? 'stopped' : 'alive';
}

/** An owner as it was written down; nothing when it is not one. */
export function readOwner(value: unknown): Owner | undefined {
  if (!isObject(value)) return undefined;
  const { pid, startTicks, bootId: boot, host, pidNamespace }: JsonObject = value;
  if (!isWhole(pid) || pid < 1 || !isWhole(startTicks)) return undefined;
  if (typeof boot !== 'string' || typeof host !== 'string' || typeof pidNamespace !== 'string') return undefined;
  return { pid, startTicks, bootId: boot, host, pidNamespace };
}

const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
