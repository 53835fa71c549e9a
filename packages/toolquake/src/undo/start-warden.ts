/** Starts the warden of a run, and tells the run when it is gone: without one nothing may be broken. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { join, resolve as absolute } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { ToolquakeError } from '@toolquake/sdk/core';
import { hostMs } from '../workers/host-clock.js';
import { notWritable } from './append-line.js';
import { readLedger } from './read-ledger.js';
import { stateDirectoryPath } from './state-directory.js';
import { runDirectoryOf } from './stop-request.js';
import type { WardenOrder } from './warden-watch.js';

/** The run's end of the rope. */
export type WardenLink = {
  readonly pid: number;
  /** False when it ended, or did not answer for as long as the lease. */
  isAlive(): boolean;
  /** Called once when it is gone without being dismissed; at once if it is gone already. */
  onDeath(listener: (why: string) => void): void;
  /** The run is over. Resolves when the warden went; where something is not undone it stays, and tries again when we are gone. */
  dismiss(): Promise<void>;
};

/** What starting needs. */
export type StartWardenOptions = {
  /** Of a ledger that is open. */
  readonly ledgerPath: string;
  readonly lease: { readonly ttlMs: number; readonly heartbeatMs: number };
  readonly env: Readonly<Record<string, string | undefined>>;
  /** How long the run may take to react to a stop request before the warden undoes; two heartbeats unless told otherwise. */
  readonly stopGraceMs?: number | undefined;
  /** The program; the one beside us unless told otherwise (tests run from sources and name the built one). */
  readonly program?: string | undefined;
};

const START_MS = 20_000;
const DISMISS_MS = 2000;

/** Beside the bundle that is running: chunks of it live one folder deeper. */
function programPath(): string {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return fileURLToPath(new URL(/[/\\]chunks[/\\]$/.test(here) ? '../warden.js' : './warden.js', import.meta.url));
}

/** Resolves when the warden has said in the ledger that it watches. */
export async function startWarden(options: StartWardenOptions): Promise<WardenLink> {
  const { lease, program = programPath() } = options;
  const ledgerPath = absolute(options.ledgerPath);
  const env = { ...options.env, TOOLQUAKE_STATE_DIR: stateDirectoryPath(options.env) };
  const order: WardenOrder = { ledgerPath, ...lease, stopGraceMs: options.stopGraceMs ?? 2 * lease.heartbeatMs };
  const logPath = join(runDirectoryOf(ledgerPath), 'warden.log');
  let log: number;
  try {
    log = openSync(logPath, 'a', 0o600);
  } catch (cause) {
    throw notWritable(logPath, cause);
  }
  // In a session of its own, with streams of its own: it outlives our terminal, and keeps nobody who reads our output waiting.
  const child = spawn(process.execPath, [program], {
    stdio: ['pipe', 'pipe', log],
    detached: true,
    windowsHide: true,
    env,
    cwd: '/',
    // The types know no descriptor among the streams; the first two are pipes, as asked.
  }) as ChildProcessByStdio<Writable, Readable, null>;
  closeSync(log);
  const listeners: ((why: string) => void)[] = [];
  let death: string | undefined;
  let isDismissed = false;
  let answeredMs = hostMs();
  let beat: NodeJS.Timeout | undefined;
  const die = (why: string): void => {
    if (death !== undefined || isDismissed) return;
    death = why;
    clearInterval(beat);
    for (const listener of listeners) listener(why);
  };
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      die(`The warden did not start: ${error.message}.`);
      resolve();
    });
    child.once('exit', (code, signal) => {
      die(`The warden ended (${signal ?? `exit code ${code}`}).`);
      resolve();
    });
  });
  child.stdin.on('error', () => {});
  const watching = new Promise<void>((resolve) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      answeredMs = hostMs();
      if (line === 'watching') resolve();
    });
  });
  child.stdin.write(`${JSON.stringify(order)}\n`);
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, START_MS);
  });
  const isWatching = await Promise.race([watching.then(() => true), ended.then(() => false), late.then(() => false)]);
  if (!isWatching) die(`It did not answer within ${START_MS} ms.`);
  clearTimeout(timer);
  if (death !== undefined) {
    child.kill('SIGKILL');
    throw new ToolquakeError('NOT_WRITABLE', {
      message: `No warden watches the run: ${death} So nothing was changed.`,
      advice: `Why stands in ${logPath}.`,
    });
  }
  let lookedMs = hostMs();
  beat = setInterval(() => {
    const nowMs = hostMs();
    // We were stopped ourselves: its answers may be waiting.
    if (nowMs - lookedMs > 3 * lease.heartbeatMs) answeredMs = nowMs;
    lookedMs = nowMs;
    if (nowMs - answeredMs > lease.ttlMs) die(`The warden did not answer for ${lease.ttlMs} ms.`);
    else child.stdin.write('beat\n');
  }, lease.heartbeatMs);
  // What keeps the run alive is the run.
  beat.unref();
  child.unref();
  for (const stream of [child.stdin, child.stdout]) (stream as unknown as { unref(): void }).unref();
  return {
    pid: child.pid ?? 0,
    isAlive: () => death === undefined && !isDismissed,
    onDeath(listener) {
      if (death === undefined) listeners.push(listener);
      else listener(death);
    },
    async dismiss() {
      isDismissed = true;
      clearInterval(beat);
      if (!isEverythingUndone(ledgerPath)) return void child.stdin.end();
      child.stdin.end('dismiss\n');
      const insist = setTimeout(() => void child.kill('SIGKILL'), DISMISS_MS);
      child.ref();
      await ended;
      clearTimeout(insist);
    },
  };
}

function isEverythingUndone(ledgerPath: string): boolean {
  try {
    return readLedger(ledgerPath).isClean;
  } catch {
    return false;
  }
}
