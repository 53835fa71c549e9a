import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { JsonObject } from '@toolquake/sdk/core';
import { endProcessUndo } from '../../undo/end-process-undo.js';
import { openLedger } from '../../undo/open-ledger.js';
import { startWarden } from '../../undo/start-warden.js';
import { defineWorker } from '../worker.js';

/** The harmless thing that is left behind ends by itself, should everything else fail. */
const SLEEP = 'setTimeout(() => {}, 60_000)';

/** What a run does before it is killed, on a process that only sleeps: whoever killed it looks whether that was undone. */
export const rehearsal = defineWorker({
  role: 'rehearsal',
  summary: 'Starts a process that sleeps, writes its undo down, has a warden watch, and waits to be killed.',
  async run(given: JsonObject, { env, signal, emit }) {
    // It comes from "toolquake doctor", over our own stdin.
    const { runDirectory, runId } = given as { runDirectory: string; runId: string };
    const path = join(runDirectory, 'ledger.jsonl');
    const ledger = await openLedger({ path, runId, env, deadlineMs: 5000 });
    await startWarden({ ledgerPath: path, lease: { ttlMs: 20_000, heartbeatMs: 1000 }, env });
    const sleeper = spawn(process.execPath, ['-e', SLEEP], { stdio: 'ignore', detached: true, env: {} });
    sleeper.unref();
    const pid = sleeper.pid ?? 0;
    const step = await ledger.intend('doctor', 'a process that sleeps', endProcessUndo(pid));
    await ledger.applied(step);
    emit({ kind: 'left', pid });
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  },
});
