/** Starts a role of the worker program as a child that does nothing before it is told to, and that ends when we do. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import type { WorkerHandle } from '../actions/action.js';

/** Beside the bundle that is running: chunks of it live one folder deeper. */
function programPath(): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return fileURLToPath(new URL(/[/\\]chunks[/\\]$/.test(here) ? '../experiment-worker.js' : './experiment-worker.js', import.meta.url));
}

/** What starting needs. */
export type StartWorkerOptions = {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program; the one beside us unless told otherwise (tests run from sources and name the built one). */
  readonly program?: string | undefined;
  /** Words before the program: what puts it into another network namespace and then becomes it. */
  readonly within?: readonly string[] | undefined;
  /** After its lifeline was cut, a worker gets this long before it is killed. */
  readonly graceMs?: number | undefined;
};

/** Resolves when the worker has understood its role and waits for `go`. */
export async function startWorker(role: string, config: JsonObject, options: StartWorkerOptions): Promise<WorkerHandle> {
  const { env, program = programPath(), within = [], graceMs = 4500 } = options;
  // The role is there for whoever looks at the list of processes, ourselves included.
  const [file, ...args] = [...within, process.execPath, program, role];
  // In a group of its own: Ctrl-C at the terminal means the run, and would end a worker that has just been started.
  const detached = process.platform !== 'win32';
  const child = spawn(file, args, { stdio: ['pipe', 'pipe', 'pipe'], env: { ...env }, windowsHide: true, detached });
  const listeners = new Set<(message: JsonObject) => void>();
  const early: JsonObject[] = [];
  let words = '';
  child.stdin.on('error', () => {});
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    words = `${words}${text}`.slice(-4000);
  });
  const ended = new Promise<{ code: number | null; signal: string | null }>((resolve) => {
    child.once('error', () => resolve({ code: null, signal: null }));
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const ready = new Promise<void>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      const message = parsed(line);
      if (message === undefined) return;
      if (message['kind'] === 'ready') return resolve();
      if (listeners.size === 0) early.push(message);
      for (const listener of listeners) listener(message);
    });
    void ended.then(({ code, signal }) => reject(new Error(`The worker "${role}" ended at once (${signal ?? code}): ${words.trim()}`)));
  });
  child.stdin.write(`${JSON.stringify({ role, config })}\n`);
  await ready;
  return {
    pid: child.pid ?? 0,
    go: () => void child.stdin.write('go\n'),
    onMessage(listener) {
      for (const message of early.splice(0)) listener(message);
      listeners.add(listener);
    },
    ended,
    async stop() {
      child.stdin.end();
      const timer = setTimeout(() => void child.kill('SIGKILL'), graceMs);
      await ended;
      clearTimeout(timer);
    },
  };
}

function parsed(line: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
