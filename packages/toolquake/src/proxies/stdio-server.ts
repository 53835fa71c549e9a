/** The server as a child process: started without a shell, frozen and thawed, signalled, and never left behind stopped. */
import { spawn, type ChildProcess } from 'node:child_process';
import { ToolquakeError, type Cancel, type Clock, type Refusal } from '@toolquake/sdk/core';

/** How a process ended. */
export type ProcessEnd = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

/** A running server. */
export type ServerProcess = {
  readonly child: ChildProcess;
  readonly exited: Promise<ProcessEnd>;
  signal(name: NodeJS.Signals): void;
  /** Asks it to go, and insists after `graceMs`. */
  terminate(clock: Clock, graceMs: number): void;
  freeze(clock: Clock, forMs: number): Refusal;
  thaw(): void;
};

/** `pipe`: we relay. `inherit`: the server gets our own stdin and stdout, and we are out of the way. */
export type ServerStdio = 'pipe' | 'inherit';

/** Starts a server. Rejects with `COMMAND_NOT_FOUND` when there is nothing to start. */
export async function startServer(command: readonly string[], stdio: ServerStdio, env?: NodeJS.ProcessEnv): Promise<ServerProcess> {
  const [file, ...args] = command;
  if (file === undefined || file === '') {
    throw new ToolquakeError('BAD_ARGUMENT', {
      message: 'There is no server command.',
      advice: 'Put it after "--", for example: toolquake proxy stdio -- node server.js',
    });
  }
  const child = spawn(file, args, { stdio: [stdio, stdio, 'inherit'], windowsHide: true, ...(env === undefined ? {} : { env }) });
  const exited = new Promise<ProcessEnd>((resolve) => child.once('exit', (code, signal) => resolve({ code, signal })));
  await new Promise<void>((resolve, reject) => {
    child.once('spawn', resolve);
    child.once('error', (cause) => reject(notStarted(file, cause)));
  });
  // Later errors are signals that came too late: the exit says it all.
  child.on('error', () => {});
  return serverProcess(child, exited);
}

function serverProcess(child: ChildProcess, exited: Promise<ProcessEnd>): ServerProcess {
  let cancelThaw: Cancel | undefined;
  let warden: ChildProcess | undefined;

  const thaw = (): void => {
    cancelThaw?.();
    cancelThaw = undefined;
    child.kill('SIGCONT');
    warden?.kill('SIGKILL');
    warden = undefined;
  };

  const signal = (name: NodeJS.Signals): void => {
    child.kill(name);
    // A stopped process dies of nothing but SIGKILL.
    if (cancelThaw !== undefined) thaw();
  };

  void exited.then(() => {
    if (cancelThaw !== undefined) thaw();
  });

  return {
    child,
    exited,
    signal,
    terminate(clock, graceMs) {
      signal('SIGTERM');
      const cancel = clock.schedule(graceMs, () => void child.kill('SIGKILL'));
      void exited.then(cancel);
    },
    freeze(clock, forMs) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return 'the server has exited';
      if (process.platform === 'win32') return 'this system cannot stop a process';
      if (cancelThaw === undefined) {
        warden = startWarden(child.pid);
        if (!child.kill('SIGSTOP')) return 'the server could not be stopped';
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

/**
 * Thaws the server if we are killed meanwhile: its stdin ends with us, whatever ended us.
 * Started before the server is stopped, in a session of its own, so that no signal to our group takes it along.
 */
function startWarden(pid: number): ChildProcess {
  const undo = `process.stdin.resume().on('end',()=>{try{process.kill(${pid},'SIGCONT')}catch{}})`;
  const warden = spawn(process.execPath, ['-e', undo], { stdio: ['pipe', 'ignore', 'ignore'], detached: true, windowsHide: true });
  warden.on('error', () => {});
  warden.stdin?.on('error', () => {});
  warden.unref();
  return warden;
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
