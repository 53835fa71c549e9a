/** The processes of this host, as /proc shows them. */
import { readdirSync, readFileSync } from 'node:fs';
import { identify, readStat, type ProcessIdentity, type ProcessStat } from '../undo/process-identity.js';

/** Linux counts start times in hundredths of a second for every program, whatever the kernel ticks at. */
const TICKS_A_SECOND = 100;

/** Empty where the host has no /proc. */
function processIds(): readonly number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

/** The command line of a process, word by word; empty for threads of the kernel and for what is gone. */
export function commandOf(pid: number): readonly string[] {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    if (words.at(-1) === '') words.pop();
    return words;
  } catch {
    return [];
  }
}

const processTable = (): readonly ProcessStat[] => processIds().flatMap((pid) => readStat(pid) ?? []);

/** The parents of a process, nearest first, up to the first process of the host. */
export function ancestorsOf(pid: number): readonly number[] {
  const line: number[] = [];
  for (let parent = readStat(pid)?.parent ?? 0; parent > 0 && !line.includes(parent); parent = readStat(parent)?.parent ?? 0) {
    line.push(parent);
  }
  return line;
}

/** The children of a process and theirs, parents before children. */
export function descendantsOf(pid: number, table: readonly ProcessStat[] = processTable()): readonly number[] {
  const found: number[] = [pid];
  for (const parent of found) {
    for (const one of table) if (one.parent === parent && !found.includes(one.pid)) found.push(one.pid);
  }
  return found.slice(1);
}

/** Processes with exactly this command line. The program may be given by its name or by its path. */
export function processesByCommand(command: readonly string[]): readonly number[] {
  return processIds().filter((pid) => isSameCommand(commandOf(pid), command));
}

/** Whether a process was started by these words. */
export function isSameCommand(running: readonly string[], command: readonly string[]): boolean {
  if (command.length === 0) return false;
  // A program may rename itself, as all do under PM2: then its words are one text, and zeros fill the rest.
  if (running.slice(1).every((word) => word === '') && running[0]?.trim() === command.join(' ')) return true;
  if (running.length !== command.length) return false;
  const lastPart = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
  const [program = '', ...words] = command;
  const [runs = '', ...its] = running;
  const isSameProgram = runs === program || (!program.includes('/') && lastPart(runs) === program);
  return isSameProgram && words.every((word, index) => word === its[index]);
}

/** How long a process has been running, on the clock of the kernel: a jump of the wall clock changes nothing. */
export function uptimeMs(startTicks: number): number {
  try {
    const hostSeconds = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    return Math.max(0, Math.round((hostSeconds - startTicks / TICKS_A_SECOND) * 1000));
  } catch {
    return 0;
  }
}

/** A process that runs. */
export type RunningProcess = { readonly identity: ProcessIdentity; readonly uptimeMs: number };

/** Of these ids, those that run, oldest first. */
export function runningProcesses(pids: readonly number[]): readonly RunningProcess[] {
  return [...new Set(pids)]
    .filter((pid) => pid > 1)
    .flatMap((pid) => identify(pid) ?? [])
    .map((identity) => ({ identity, uptimeMs: uptimeMs(identity.startTicks) }))
    .toSorted((one, other) => one.identity.startTicks - other.identity.startTicks || one.identity.pid - other.identity.pid);
}
