/** Processes that no action may touch, whoever named them: the first of the host, we ourselves, all we live in, and all that we started. */
import { basename } from 'node:path';
import { ancestorsOf, commandOf, descendantsOf } from './process-table.js';

/** Programs of ours that watch, measure and undo, also those of another run. */
const WATCHERS = /^(experiment-worker|[a-z-]*warden)\.(js|mjs|ts)$/;

/** Is it the monitor of a run? Workers are started with their role as the word after their program. */
export function isMonitor(pid: number): boolean {
  const words = commandOf(pid);
  const program = words.findIndex((word) => WATCHERS.test(basename(word)));
  return program !== -1 && words[program + 1] === 'monitor';
}

/** Why a process may not be touched; nothing when it may. */
export function protection(pid: number): string | undefined {
  if (!Number.isSafeInteger(pid) || pid < 2) return 'it is the first process of the host, or none at all';
  if (pid === process.pid) return 'it is this run itself';
  if (ancestorsOf(process.pid).includes(pid)) return 'this run lives in it';
  if (
    commandOf(pid)
      .slice(0, 3)
      .some((word) => WATCHERS.test(basename(word)))
  )
    return 'it watches or undoes experiments';
  if (descendantsOf(process.pid).includes(pid)) return 'this run started it';
  return undefined;
}

/** The same for a stdio server of our own: we started it, and that is why we may. */
export const protectionOfOwn = (pid: number): string | undefined => {
  const why = protection(pid);
  return why === 'this run started it' ? undefined : why;
};
