/**
 * The server as a child process: started without a shell, frozen and thawed, signalled, and never left behind stopped.
 * It leads a process group wherever that is possible, because the command is often a wrapper (`npx`, `sh -c`) and what
 * is meant for the server must reach the process behind it.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { isatty } from 'node:tty';
import { ToolquakeError, type Cancel, type Clock, type Refusal } from '@toolquake/sdk/core';
import { bondedCommand } from './stdio-death-bond.js';
import { startWarden } from './stdio-warden.js';

/** How a process ended. */
export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running server. Signals go to its whole group where it has one. */
export type ServerProcess = {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessEnd>;
  /** It reads our terminal, and so gets what is typed there (Ctrl-C) without us. */
  readonly sharesTerminal: boolean;
  signal(name: NodeJS.Signals): void;
  /** Asks it to go, and insists after `graceMs`. */
  terminate(clock: Clock, graceMs: number): void;
  /** Kills it after `graceMs`, unless it exits before. */
  insist(clock: Clock, graceMs: number): void;
  /** If it does not exit soon, then from there on whoever kills us kills it too. */
  followUs(clock: Clock): void;
  /** After the exit: resolves when nothing is left of what we had signalled; kills what is there after `graceMs`. */
  settle(clock: Clock, graceMs: number): Promise<void>;
  freeze(clock: Clock, forMs: number): Refusal;
  thaw(): void;
};

/** `pipe`: we relay. `inherit`: the server gets our own stdin and stdout, and we are out of the way. */
export type ServerStdio = 'pipe' | 'inherit';

/** Where a server lives; our own environment, folder and stderr unless told otherwise. */
export type ServerPlace = {
  readonly env?: NodeJS.ProcessEnv | undefined;
  readonly cwd?: string | undefined;
  /** `pipe`: somebody reads what it says there. */
  readonly stderr?: 'inherit' | 'pipe' | undefined;
};

/** Most servers are gone by then, and need no warden. */
const FOLLOW_AFTER_MS = 250;

/** No event tells the end of a group, so we look. */
const SETTLE_LOOK_MS = 25;

/** Starts a server. Rejects with `COMMAND_NOT_FOUND` when there is nothing to start. */
export async function startServer(
  command: readonly string[],
  stdio: ServerStdio,
  { env, cwd, stderr = 'inherit' }: ServerPlace = {},
): Promise<ServerProcess> {
  const [file] = command;
  if (file === undefined || file === '') {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'There is no server command.',
      advice: 'Put it after "--", for example: toolquake proxy stdio -- node server.js',
    });
  }
  // A group of its own gets every signal once: from us, never also from the terminal or from who signals our group.
  // But only the terminal's own group may read it, so a server that inherits a terminal stays in ours; it then gets
  // Ctrl-C from the terminal, and we must not hand that on (see `sharesTerminal`).
  const sharesTerminal = stdio === 'inherit' && isatty(0);
  const leadsGroup = !sharesTerminal && process.platform !== 'win32';
  const [program = file, ...args] = bondedCommand(command, env);
  const child = spawn(program, args, {
    stdio: [stdio, stdio, stderr],
    detached: leadsGroup,
    windowsHide: true,
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const exited = new Promise<ProcessEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(notStarted(file, cause)));
  });
  // Later errors are signals that came too late: the exit says it all.
  child.on('error', () => {});
  return serverProcess({ child, exited, sharesTerminal, leadsGroup });
}

type Start = Pick<ServerProcess, 'child' | 'exited' | 'sharesTerminal'> & { readonly leadsGroup: boolean };

function serverProcess({ child, exited, sharesTerminal, leadsGroup }: Start): ServerProcess {
  // The spawn event has come, so there is a pid.
  const pid = child.pid ?? 0;
  const target = leadsGroup ? -pid : pid;
  let hasGroup = leadsGroup;
  /** Whether what may be left of the group was asked to go, rather than killed. */
  let isAsked = false;
  let cancelThaw: Cancel | undefined;
  let dismissThawer: (() => void) | undefined;
  let dismissKiller: (() => void) | undefined;
  const hasExited = (): boolean => child.exitCode !== null || child.signalCode !== null;

  /** Signal 0 only looks whether somebody is there. */
  const reachesGroup = (name: NodeJS.Signals | 0): boolean => {
    if (!hasGroup) return false;
    try {
      return process.kill(target, name);
    } catch {
      return false;
    }
  };

  const deliver = (name: NodeJS.Signals): boolean => reachesGroup(name) || child.kill(name);

  const thaw = (): void => {
    cancelThaw?.();
    cancelThaw = undefined;
    deliver('SIGCONT');
    dismissThawer?.();
    dismissThawer = undefined;
  };

  const signal = (name: NodeJS.Signals): void => {
    isAsked = name !== 'SIGKILL';
    deliver(name);
    // A stopped process dies of nothing but SIGKILL.
    if (cancelThaw !== undefined) thaw();
  };

  const insist = (clock: Clock, graceMs: number): void => {
    if (hasExited()) return;
    const cancel = clock.schedule(graceMs, () => signal('SIGKILL'));
    void exited.then(cancel);
  };

  void exited.then(() => {
    // Once the group is empty its number may be given to somebody else: never use it again.
    hasGroup = reachesGroup(0);
    if (cancelThaw !== undefined) thaw();
    dismissKiller?.();
  });

  return {
    child,
    exited,
    sharesTerminal,
    signal,
    terminate(clock, graceMs) {
      signal('SIGTERM');
      insist(clock, graceMs);
    },
    insist,
    followUs(clock) {
      if (hasExited() || process.platform === 'win32') return;
      const cancel = clock.schedule(FOLLOW_AFTER_MS, () => {
        dismissKiller ??= startWarden(target, 'SIGKILL');
      });
      void exited.then(cancel);
    },
    async settle(clock, graceMs) {
      await exited;
      const deadlineMs = clock.nowMs() + graceMs;
      // Who was never asked to go may have been left behind on purpose.
      while (isAsked && (hasGroup = reachesGroup(0))) {
        if (clock.nowMs() >= deadlineMs) return void reachesGroup('SIGKILL');
        await new Promise<void>((resolve) => void clock.schedule(SETTLE_LOOK_MS, resolve));
      }
    },
    freeze(clock, forMs) {
      if (hasExited()) return 'the server has exited';
      if (process.platform === 'win32') return 'this system cannot stop a process';
      if (cancelThaw === undefined) {
        // Started before the server is stopped: there is no moment in which our death would leave it stopped.
        dismissThawer = startWarden(target, 'SIGCONT');
        if (!deliver('SIGSTOP')) {
          dismissThawer();
          return 'the server could not be stopped';
        }
      }
      cancelThaw?.();
      cancelThaw = clock.schedule(forMs, thaw);
      return undefined;
    },
    thaw() {
      if (cancelThaw !== undefined) thaw();
    },
  };
}

function notStarted(file: string, cause: Error): ToolquakeError {
  const { code } = cause as NodeJS.ErrnoException;
  const why = code === 'ENOENT' ? 'there is no such command' : code === 'EACCES' ? 'it may not be executed' : cause.message;
  return new ToolquakeError('COMMAND_NOT_FOUND', {
    message: `The server command "${file}" cannot be started: ${why}.`,
    advice: 'Check the spelling, the PATH and that it is installed. Its arguments follow as separate words: -- node server.js --flag',
    cause,
  });
}
