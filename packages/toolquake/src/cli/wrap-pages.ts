/** What `wrap` and `unwrap` print. Arguments that look like secrets are not shown. */
import { isSecretName, REDACTED, writableValue } from '@toolquake/sdk/core';
import type { ServerCommand } from '../config/proxied-command.js';
import { unwrapConfig, wrapConfig, type ServerChange, type WrapOptions } from '../operations/wrap-config.js';
import { EXIT, type CommandIo } from './command.js';
import { coloursFor } from './terminal.js';

/** How a result is shown. */
type Showing = { readonly isJson: boolean; readonly io: CommandIo };

/** Wraps and tells; resolves to the exit code. */
export async function wrapAndTell(options: WrapOptions, { isJson, io }: Showing): Promise<number> {
  const { isDryRun, configPath } = options;
  const result = await wrapConfig(options);
  const { changes, unchanged, leftAlone, launcher, planPath, backupPath } = result;
  if (isJson) {
    const shown = { file: configPath, isDryRun, plan: planPath, launcher, backup: backupPath, unchanged, leftAlone };
    io.stdout.write(`${JSON.stringify({ ...shown, changes: changes.map(shownChange) }, null, 2)}\n`);
    return EXIT.pass;
  }
  const tell = (line: string): void => void io.stdout.write(`${line}\n`);
  const colours = coloursFor(io.stdout, io.env);
  tellChanges(changes, tell, io);
  for (const name of unchanged) tell(`${colours.dim('as it is')}    ${name}: behind this proxy already`);
  for (const { server, why, advice } of leftAlone)
    tell(`${colours.yellow('left alone')}  ${server}: ${why}.${advice === undefined ? '' : ` ${advice}`}`);
  if (changes.length === 0) tell(`${configPath}: nothing to change.`);
  else if (isDryRun) tell(`${configPath}: ${countText(changes)} would be wrapped; nothing was written (--dry-run).`);
  else {
    tell(`${colours.green('ok')} ${configPath}: ${countText(changes)} wrapped; restart the client to make it read the file.`);
    tell(
      `Clients start the proxy by: ${launcher.join(' ')}${options.program === undefined ? ' (to write another: --command toolquake)' : ''}`,
    );
    tell(`The original is kept in ${backupPath}. Undo: toolquake unwrap ${configPath}`);
  }
  if (launcher.some((word) => /[\\/]_npx[\\/]/.test(word)))
    io.stderr.write('warning: this copy of toolquake lies in a cache of npx, which may be emptied; install it, or use --command.\n');
  return EXIT.pass;
}

const ENDINGS = {
  backup: 'it is the original again, byte for byte; the backup was removed.',
  edited: 'it was edited since it was wrapped; the edits stay, the servers start as before.',
  rebuilt: 'there was no backup; commands were rebuilt from what followed "--".',
} as const;

/** Unwraps and tells; resolves to the exit code. */
export async function unwrapAndTell(options: { configPath: string; isDryRun: boolean }, { isJson, io }: Showing): Promise<number> {
  const { configPath, isDryRun } = options;
  const { changes, from, backupPath } = await unwrapConfig(options);
  if (isJson) {
    io.stdout.write(`${JSON.stringify({ file: configPath, isDryRun, from, changes: changes.map(shownChange) }, null, 2)}\n`);
    return EXIT.pass;
  }
  const tell = (line: string): void => void io.stdout.write(`${line}\n`);
  if (from === 'none') tell(`${configPath}: no server is wrapped; nothing to change.`);
  else {
    tellChanges(changes, tell, io);
    if (isDryRun) tell(`${configPath}: ${countText(changes)} would be unwrapped; nothing was written (--dry-run).`);
    else tell(`${coloursFor(io.stdout, io.env).green('ok')} ${configPath}: ${countText(changes)} unwrapped; ${ENDINGS[from]}`);
    if (from === 'edited' && !isDryRun) tell(`The file from before the edits is still in ${backupPath}.`);
  }
  return EXIT.pass;
}

function countText({ length }: readonly ServerChange[]): string {
  return `${length} server${length === 1 ? '' : 's'}`;
}

/** Only what changes is shown, never the lines around it: these may hold secrets. */
function tellChanges(changes: readonly ServerChange[], tell: (line: string) => void, io: CommandIo): void {
  const colours = coloursFor(io.stdout, io.env);
  for (const change of changes) {
    const { server, before, after } = shownChange(change);
    tell(colours.bold(server));
    for (const line of linesOf(before)) tell(colours.red(`- ${line}`));
    for (const line of linesOf(after)) tell(colours.green(`+ ${line}`));
  }
}

function linesOf({ command, args }: ServerCommand): readonly string[] {
  const list = args.map((word) => JSON.stringify(word)).join(', ');
  return [`"command": ${JSON.stringify(command)}`, ...(args.length === 0 ? [] : [`"args": [${list}]`])];
}

function shownChange({ server, before, after }: ServerChange): ServerChange {
  return { server, before: shownCommand(before), after: shownCommand(after) };
}

function shownCommand({ command, args }: ServerCommand): ServerCommand {
  return { command: shownWord(command, undefined), args: args.map((word, index) => shownWord(word, args[index - 1])) };
}

/** `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`, and values that give themselves away. */
function shownWord(word: string, previous: string | undefined): string {
  if (previous !== undefined && /^--?[^=]+$/.test(previous) && isSecretName(previous) && !word.startsWith('-')) return REDACTED;
  const equals = word.indexOf('=');
  if (equals > 0 && isSecretName(word.slice(0, equals))) return `${word.slice(0, equals + 1)}${REDACTED}`;
  return writableValue(word) === REDACTED ? REDACTED : word;
}
