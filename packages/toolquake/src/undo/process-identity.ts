/** Which process is meant: a pid alone is reused by the kernel, so its start time and the boot of the host belong to it. */
import { readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '@toolquake/sdk/core';

/** A process, unmistakably. */
export type ProcessIdentity = {
  readonly pid: number;
  /** When it started, in clock ticks since the boot: field 22 of /proc/PID/stat. */
  readonly startTicks: number;
  readonly bootId: string;
};

/** What the kernel says of a process. */
export type ProcessStat = {
  readonly pid: number;
  readonly name: string;
  /** One letter: R, S, D, T (stopped), Z (dead, not yet collected by its parent). */
  readonly state: string;
  readonly parent: number;
  readonly startTicks: number;
};

/** Reads the text of /proc/PID/stat. The name may hold spaces, brackets and line breaks, so the last bracket ends it. */
export function parseStat(text: string): ProcessStat | undefined {
  const open = text.indexOf('(');
  const close = text.lastIndexOf(')');
  if (open < 0 || close < open) return undefined;
  const fields = text
    .slice(close + 1)
    .trim()
    .split(/\s+/);
  const [pid, parent, startTicks] = [text.slice(0, open).trim(), fields[1], fields[19]].map((field) =>
    field !== undefined && /^\d{1,18}$/.test(field) ? Number(field) : undefined,
  );
  const state = fields[0];
  if (pid === undefined || parent === undefined || startTicks === undefined || state === undefined || state === '') return undefined;
  return { pid, name: text.slice(open + 1, close), state, parent, startTicks };
}

/** A process as it is now; nothing when there is none, or where the host has no /proc. */
export function readStat(pid: number): ProcessStat | undefined {
  try {
    return parseStat(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return undefined;
  }
}

let boot: string | undefined;

/** Names this boot of the host: start times of another boot say nothing. */
export function bootId(): string {
  try {
    return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  } catch {
    return '';
  }
}

/** Who a process is. One that is dead and only waits to be collected counts as gone. */
export function identify(pid: number): ProcessIdentity | undefined {
  const stat = readStat(pid);
  return stat === undefined || isDead(stat) ? undefined : { pid, startTicks: stat.startTicks, bootId: bootId() };
}

/** The same process as it is now; nothing when it ended, even if its pid lives on in another. */
export function findProcess(identity: ProcessIdentity): ProcessStat | undefined {
  if (identity.bootId !== bootId()) return undefined;
  const stat = readStat(identity.pid);
  return stat === undefined || isDead(stat) || stat.startTicks !== identity.startTicks ? undefined : stat;
}

/** An identity as it was written into a ledger; nothing when it is not one. */
export function readIdentity(data: JsonObject): ProcessIdentity | undefined {
  const { pid, startTicks, bootId: ofBoot } = data;
  const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;
  if (!isWhole(pid) || pid < 2 || !isWhole(startTicks) || typeof ofBoot !== 'string' || ofBoot === '') return undefined;
  return { pid, startTicks, bootId: ofBoot };
}

/** All identities of a list that was written into a ledger. */
export const identitiesIn = (value: unknown): readonly ProcessIdentity[] =>
  Array.isArray(value) ? value.flatMap((one) => (isObject(one) ? (readIdentity(one) ?? []) : [])) : [];

/**
 * Sends a signal to exactly this process. False when it is gone already. Between the look and the signal lie microseconds,
 * in which a pid cannot come round again: the kernel hands them out in a circle.
 */
export function signalProcess(identity: ProcessIdentity, signal: NodeJS.Signals): boolean {
  if (identity.pid < 2 || findProcess(identity) === undefined) return false;
  try {
    return process.kill(identity.pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
    throw error;
  }
}

const isDead = ({ state }: ProcessStat): boolean => state === 'Z' || state === 'X' || state === 'x';
