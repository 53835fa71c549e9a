/** The folder of this host: who shakes which server, which ledgers are open, whether everything was halted. */
import { chmodSync, mkdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';

type Env = Readonly<Record<string, string | undefined>>;

/** Where the folder is; it need not exist. */
export function stateDirectoryPath(env: Env): string {
  const [own, shared] = [env['TOOLQUAKE_STATE_DIR'], env['XDG_STATE_HOME']];
  if (own !== undefined && own !== '') return resolve(own);
  // Like the specification of these variables: a relative one is ignored.
  if (shared?.startsWith('/') === true) return join(shared, 'toolquake');
  const home = env['HOME'];
  return join(home === undefined || home === '' ? homedir() : home, '.local', 'state', 'toolquake');
}

/** The folder, made if it was missing. What stands in it is acted on, so one that others own or may write to is refused. */
export function stateDirectory(env: Env): string {
  const path = stateDirectoryPath(env);
  try {
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const status = statSync(path);
    if (!status.isDirectory()) throw new Error('it is no folder');
    const isOurs = process.getuid === undefined || status.uid === process.getuid();
    if (!isOurs) throw new Error(`it belongs to another user (${status.uid})`);
    if ((status.mode & 0o022) !== 0) throw new Error('other users may write to it');
    if ((status.mode & 0o077) !== 0) chmodSync(path, 0o700);
    return path;
  } catch (cause) {
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `The state folder ${path} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}.`,
      advice: 'Make it a folder of your own (chmod 700), or name another one with TOOLQUAKE_STATE_DIR.',
      cause,
    });
  }
}
