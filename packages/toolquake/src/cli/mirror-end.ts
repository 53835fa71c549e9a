/** Ends this process the way a server ended: the caller should see the very same end, not a translation. */
import { constants } from 'node:os';
import type { CommandIo } from './command.js';

/** Signals that end a process cleanly. */
const MIRRORED_SIGNALS: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGINT', 'SIGHUP', 'SIGKILL'];

/** Resolves to the exit code, unless a signal ended us first. */
export async function mirrorEnd(
  end: { readonly code: number | null; readonly signal: NodeJS.Signals | null },
  io: CommandIo,
): Promise<number> {
  if (end.signal === null) return end.code ?? 1;
  if (MIRRORED_SIGNALS.includes(end.signal)) await dieOf(end.signal, io);
  return 128 + (constants.signals[end.signal] ?? 0);
}

/** Ends this process by a signal. Resolves only where the system would not have it. */
async function dieOf(signal: NodeJS.Signals, io: CommandIo): Promise<void> {
  await new Promise<void>((resolve) => io.stderr.write('', () => resolve()));
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
