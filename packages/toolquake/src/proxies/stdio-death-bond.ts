/**
 * Lets the kernel kill the server when we are killed in a way that leaves us no last word (SIGKILL, out of memory).
 * Node cannot ask for that, but Linux ships a program that asks and then becomes the server: same process, same pipes.
 */
import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';

const SETPRIV = '/usr/bin/setpriv';
const BOND = ['--pdeathsig', 'KILL', '--'];

/** The command that starts the same server bound to our life; the command as it is where this system has no such bond. */
export function bondedCommand(command: readonly string[], env: NodeJS.ProcessEnv = process.env): readonly string[] {
  const [file = ''] = command;
  // Whatever cannot be started must fail as itself, with the error that says so.
  return canBeStarted(file, env) && isBondKnown() ? [SETPRIV, ...BOND, ...command] : command;
}

let bondKnown: boolean | undefined;

/** Tried once, not read from a version: older and smaller implementations of the program know no such option. */
function isBondKnown(): boolean {
  bondKnown ??= process.platform === 'linux' && existsSync(SETPRIV) && spawnSync(SETPRIV, [...BOND, SETPRIV, '--version']).status === 0;
  return bondKnown;
}

function canBeStarted(file: string, env: NodeJS.ProcessEnv): boolean {
  if (file.includes('/')) return isExecutable(file);
  // An empty entry means the current folder.
  return (env['PATH'] ?? '').split(delimiter).some((folder) => isExecutable(join(folder === '' ? '.' : folder, file)));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
