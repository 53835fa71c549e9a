/** A stop request: a file beside the ledger of a run. It needs no lock, no network, and nobody's permission. */
import { existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The file. */
const stopRequestPath = (runDirectory: string): string => join(runDirectory, 'stop');

/** Asks a run to stop. Throws where the file cannot be made. */
export function requestStop(runDirectory: string): void {
  writeFileSync(stopRequestPath(runDirectory), '', { mode: 0o600 });
}

/** Whether somebody asked the run to stop. */
export const isStopRequested = (runDirectory: string): boolean => existsSync(stopRequestPath(runDirectory));

/** The folder of the run that a ledger belongs to. */
export const runDirectoryOf = (ledgerPath: string): string => dirname(ledgerPath);
