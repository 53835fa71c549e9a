/**
 * Runs commands of the system that may change it. Never by a shell: an absolute path out of folders that only root writes,
 * one argument per word, the C locale, nothing else of our environment, and an end in time.
 */
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants } from 'node:fs';
import { join } from 'node:path';
import { ToolquakeError } from '@toolquake/sdk/core';
import { openNamespace, type NamespaceFacts } from './namespace.js';

/** Every command that may be run. */
export const TRUSTED_COMMANDS = [
  'nft',
  'iptables',
  'iptables-legacy',
  'iptables-nft',
  'ip6tables',
  'ip6tables-legacy',
  'ip6tables-nft',
  'tc',
  'ip',
  'id',
  'nsenter',
  'unshare',
] as const;

/** One of `TRUSTED_COMMANDS`. */
export type TrustedCommand = (typeof TRUSTED_COMMANDS)[number];

const FOLDERS = ['/usr/sbin', '/sbin', '/usr/bin', '/bin'];

/** The most that is kept of what a command prints. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Where the command is; undefined when this machine has none. */
export function commandPath(command: TrustedCommand): string | undefined {
  return FOLDERS.map((folder) => join(folder, command)).find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/** What a command is run with. */
export type TrustedRun = {
  readonly command: TrustedCommand;
  readonly args: readonly string[];
  /** Text for its stdin. */
  readonly input?: string | undefined;
  /** Inside this network namespace. */
  readonly namespace?: NamespaceFacts | undefined;
  /** Inside a network namespace of its own, which is gone with it. */
  readonly isInFresh?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs?: number | undefined;
};

/** What came of it. `code` is null when it was ended: it took too long, or nobody wants it any more. */
export type Ran = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

/** Resolves however it ended. Rejects when it cannot be started, or when its namespace is gone (`NamespaceGone`). */
export async function runTrusted(run: TrustedRun): Promise<Ran> {
  for (const word of run.args) {
    if (/[\0\n\r]/.test(word)) throw new Error(`A word with a line break was about to be handed to ${run.command}.`);
  }
  const path = required(run.command);
  if (run.isInFresh === true) return start(required('unshare'), ['--net', '--', path, ...run.args], run, undefined);
  if (run.namespace === undefined) return start(path, run.args, run, undefined);
  const descriptor = openNamespace(run.namespace);
  try {
    // The very namespace that was looked at, whatever its path leads to by now.
    return await start(required('nsenter'), ['--net=/proc/self/fd/3', '--', path, ...run.args], run, descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Like `runTrusted`, and rejects unless it ended with 0: then the text of its stdout. */
export async function mustRun(run: TrustedRun): Promise<string> {
  const { code, stdout, stderr } = await runTrusted(run);
  if (code === 0) return stdout;
  throw new Error(`${[run.command, ...run.args].join(' ')} ended with ${code ?? 'no code in time'}: ${lastLine(stderr || stdout)}`);
}

/** The last line of what a command said, in bounded length. */
export const lastLine = (text: string): string => (text.trim().split('\n').at(-1) ?? '').slice(0, 300);

function required(command: TrustedCommand): string {
  const path = commandPath(command);
  if (path !== undefined) return path;
  throw new ToolquakeError('COMMAND_NOT_FOUND', {
    message: `There is no ${command} in ${FOLDERS.join(', ')}.`,
    advice: 'Run "toolquake doctor": it says what this machine lacks, and what would do instead.',
  });
}

function start(path: string, args: readonly string[], run: TrustedRun, descriptor: number | undefined): Promise<Ran> {
  const { input, signal, timeoutMs = 5000 } = run;
  return new Promise((resolve, reject) => {
    const child = spawn(path, args, {
      env: { LC_ALL: 'C', PATH: FOLDERS.join(':') },
      stdio: ['pipe', 'pipe', 'pipe', ...(descriptor === undefined ? [] : [descriptor])],
      timeout: timeoutMs,
      killSignal: 'SIGKILL',
      windowsHide: true,
      ...(signal === undefined ? {} : { signal }),
    });
    const [toCommand, fromCommand, words] = [child.stdin!, child.stdout!, child.stderr!];
    let stdout = '';
    let stderr = '';
    fromCommand.setEncoding('utf8').on('data', (text: string) => {
      if (stdout.length < MAX_BYTES) stdout += text;
    });
    words.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_BYTES) stderr += text;
    });
    toCommand.on('error', () => {});
    toCommand.end(input ?? '');
    let failure: Error | undefined;
    child.on('error', (error) => {
      failure = error;
      if (child.pid === undefined) reject(error);
    });
    child.on('close', (code) => {
      if (failure?.name === 'AbortError') reject(failure);
      else resolve({ code, stdout, stderr });
    });
  });
}
