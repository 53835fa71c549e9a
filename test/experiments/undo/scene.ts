/** A fresh world, a state folder, and the driver at work in them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { ownerState } from '../../../packages/toolquake/src/undo/owner.js';
import { readLedger } from '../../../packages/toolquake/src/undo/read-ledger.js';
import type { DriverOrder } from './driver/order.js';

/** What the driver said, and how it ended. */
export type Ended = {
  readonly code: number | null;
  readonly signal: string | null;
  readonly said: readonly Record<string, unknown>[];
  readonly stderr: string;
};

/** A driver that is running. */
export type Running = {
  readonly process: ChildProcess;
  readonly ended: Promise<Ended>;
  /** Resolves to what it says with this word; rejects when it ends without saying it. */
  says(what: string): Promise<Record<string, unknown>>;
};

/** See the module comment. */
export type Scene = {
  readonly folder: string;
  readonly runId: string;
  readonly ledgerPath: string;
  readonly env: NodeJS.ProcessEnv;
  readonly mark: string;
  start(driver: string, order?: Partial<DriverOrder>, env?: NodeJS.ProcessEnv): Running;
  /** Files with their texts, and whether the child lives: what must be as before. */
  snapshot(): unknown;
};

let scenes = 0;

/** Makes one. */
export function createScene(): Scene {
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-undo-'));
  mkdirSync(join(folder, 'world'));
  writeFileSync(join(folder, 'world', 'kept.txt'), 'as it was');
  const mark = `${100_000 + process.pid}.${String(++scenes).padStart(4, '0')}`;
  const runId = 'one';
  const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  return {
    folder,
    runId,
    mark,
    env,
    ledgerPath: join(folder, 'runs', runId, 'ledger.jsonl'),
    start: (driver, order = {}, more = {}) =>
      run([join(driver, 'runner.js'), JSON.stringify({ folder, runId, mark, ...order })], { ...env, ...more }),
    snapshot() {
      const world = join(folder, 'world');
      return { files: readdirSync(world).map((name) => [name, readFileSync(join(world, name), 'utf8')]), children: processesWith(mark) };
    },
  };
}

/** Starts a program of Node and reads its lines of JSON. */
export function run(argv: readonly string[], env: NodeJS.ProcessEnv): Running {
  const child = spawn(process.execPath, [...argv], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const said: Record<string, unknown>[] = [];
  const waiting = new Set<() => void>();
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line) as Record<string, unknown>);
    for (const look of waiting) look();
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code, signal) => resolve({ code, signal, said, stderr })));
  return {
    process: child,
    ended,
    says: (what) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = said.find((one) => one['what'] === what);
          if (found !== undefined) resolve(found);
        };
        waiting.add(look);
        look();
        void ended.then((end) => reject(new Error(`It ended without saying "${what}": ${JSON.stringify(end)}`)));
      }),
  };
}

/** Processes with the mark among the words of their command. */
function processesWith(mark: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(mark) ? [pid] : [];
      } catch {
        return [];
      }
    });
}

/** Polls until it is so, and fails with the words when the time is over. */
export async function until(isSo: () => boolean, what: string, withinMs = 20_000): Promise<void> {
  const end = performance.now() + withinMs;
  while (!isSo()) {
    if (performance.now() > end) throw new Error(`Not within ${withinMs} ms: ${what}`);
    await delay(20);
  }
}

/** Resolves when neither the runner of a ledger nor its warden is there any more. */
export function nobodyIsLeft(ledgerPath: string): Promise<void> {
  const isGone = (): boolean => {
    if (!existsSync(ledgerPath)) return true;
    const { runner, warden } = readLedger(ledgerPath);
    return [runner, warden].every((owner) => owner === undefined || ownerState(owner) === 'gone');
  };
  return until(isGone, 'runner and warden are gone');
}
