/** A run in small: takes the lock, opens the ledger, starts a warden, changes files and starts children, undoes everything. */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { UndoStep } from '../../../../packages/toolquake/src/core/undo-step.js';
import { endProcessUndo } from '../../../../packages/toolquake/src/undo/end-process-undo.js';
import { refuseWhileHalted } from '../../../../packages/toolquake/src/undo/halt.js';
import { sweepBeforeStart } from '../../../../packages/toolquake/src/undo/leftovers.js';
import { openLedger } from '../../../../packages/toolquake/src/undo/open-ledger.js';
import { takeServerLock } from '../../../../packages/toolquake/src/undo/server-lock.js';
import { startWarden } from '../../../../packages/toolquake/src/undo/start-warden.js';
import { isStopRequested } from '../../../../packages/toolquake/src/undo/stop-request.js';
import * as kinds from './kinds.js';
import type { DriverOrder } from './order.js';

const order = JSON.parse(process.argv[2] ?? '{}') as DriverOrder;
const { folder, runId, mark, server = 'server', mode = 'run', ttlMs = 30_000, heartbeatMs = 200, stopGraceMs } = order;
const env = process.env;
const runDirectory = join(order.runsFolder ?? join(folder, 'runs'), runId);
const ledgerPath = join(runDirectory, 'ledger.jsonl');
const say = (what: string, more: object = {}): void => void process.stdout.write(`${JSON.stringify({ what, ...more })}\n`);

refuseWhileHalted(env);
await sweepBeforeStart(env, { kinds });
const lock = takeServerLock({ env, server, runId, ledgerPath });
const ledger = await openLedger({ path: ledgerPath, runId, env, deadlineMs: 3000, lock: lock.place, kinds });
const program = order.warden ?? fileURLToPath(new URL('./warden.js', import.meta.url));
const warden = await startWarden({ ledgerPath, lease: { ttlMs, heartbeatMs }, stopGraceMs, env, program });
let why: string | undefined;
warden.onDeath((reason) => (why ??= reason));
process.on('SIGTERM', () => (why ??= 'SIGTERM'));

async function perform(name: string, undo: UndoStep, apply: () => void): Promise<void> {
  const step = await ledger.intend('driver', name, undo);
  apply();
  say('applied', { step });
  await ledger.applied(step);
}

const file = (name: string, text: string): Promise<void> => {
  const path = join(folder, 'world', name);
  const before = existsSync(path) ? { text: readFileSync(path, 'utf8') } : {};
  return perform(`change ${name}`, { kind: 'restore-text', data: { path, ...before } }, () => writeFileSync(path, text));
};
const child = (): Promise<void> => {
  // Its command holds the mark, so that a test finds it whoever its parent is.
  const started = spawn('sh', ['-c', 'read go && exec sleep "$0"', mark], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  started.stdin.on('error', () => {});
  started.unref();
  return perform('start a child', endProcessUndo(started.pid ?? 0), () => void started.stdin.write('go\n'));
};

let failure: string | undefined;
try {
  say('ready', { warden: warden.pid });
  for (const change of order.changes ?? ['kept', 'new', 'child']) {
    if (change === 'kept') await file('kept.txt', 'changed');
    else if (change === 'new') await file('new.txt', 'made');
    else if (change === 'child') await child();
    else await perform(`undo that will ${change}`, { kind: change, data: { path: join(folder, 'lie') } }, () => {});
  }
  say('during', { warden: warden.pid, token: lock.place.token });
  if (mode === 'wait' || mode === 'deaf') {
    // Keeps us alive: the warden's streams do not.
    await new Promise<void>((resolve) => {
      const timer = setInterval(() => {
        if (mode === 'wait') why ??= isStopRequested(runDirectory) ? 'stop' : ledger.lostTo();
        if (why === undefined) return;
        clearInterval(timer);
        resolve();
      }, 20);
    });
  }
} catch (error) {
  failure = error instanceof Error ? error.message : String(error);
}
const held = lock.isHeld();
const lostTo = ledger.lostTo();
const outcomes = await ledger.undoAll();
say('undone', { why, failure, held, lostTo, outcomes });
await ledger.close();
await warden.dismiss();
if (outcomes.every(({ state }) => state.is !== 'not-undone')) lock.release();
process.exit(outcomes.some(({ state }) => state.is === 'not-undone') ? 6 : failure === undefined && why === undefined ? 0 : 1);
