/** Kills a run of our own in the middle of its work, and looks whether its warden undid what it had done. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openRuns } from '../undo/open-runs.js';
import { identify, findProcess } from '../undo/process-identity.js';
import { hostMs } from '../workers/host-clock.js';
import { startWorker } from '../workers/start-worker.js';

/** What came of it. */
export type Rehearsal = { readonly isUndone: boolean; readonly proof: string };

const START_MS = 30_000;
const UNDO_MS = 15_000;
const POLL_MS = 20;

/** Everything happens in a state folder of its own, and with a process that only sleeps. Rejects only when the signal aborts. */
export async function rehearseUndo(env: Readonly<Record<string, string | undefined>>, signal: AbortSignal): Promise<Rehearsal> {
  const runDirectory = mkdtempSync(join(tmpdir(), 'toolquake-rehearsal-'));
  const ownEnv = { ...env, TOOLQUAKE_STATE_DIR: join(runDirectory, 'state') };
  try {
    const worker = await startWorker('rehearsal', { runDirectory, runId: 'rehearsal' }, { env: ownEnv });
    const left = new Promise<number>((resolve) =>
      worker.onMessage((message) => message['kind'] === 'left' && resolve(Number(message['pid']))),
    );
    const ended = worker.ended.then(() => undefined);
    worker.go();
    const pid = await Promise.race([left, ended, delay(START_MS, undefined, { signal, ref: false })]);
    const sleeper = pid === undefined ? undefined : identify(pid);
    if (sleeper === undefined) {
      await worker.stop();
      return { isUndone: false, proof: 'A run with a ledger and a warden does not start here.' };
    }
    const killedAtMs = hostMs();
    process.kill(worker.pid, 'SIGKILL');
    await worker.ended;
    while (hostMs() - killedAtMs < UNDO_MS) {
      // The warden forgets the run when its ledger is closed: then it is done with it.
      if (findProcess(sleeper) === undefined && openRuns(ownEnv).length === 0) {
        return { isUndone: true, proof: `a run was killed, and what it had done was undone ${Math.round(hostMs() - killedAtMs)} ms later` };
      }
      await delay(POLL_MS, undefined, { signal });
    }
    return { isUndone: false, proof: `A run was killed, and after ${UNDO_MS / 1000} s its warden had not undone what it had done.` };
  } catch (error) {
    signal.throwIfAborted();
    return { isUndone: false, proof: error instanceof Error ? error.message : String(error) };
  } finally {
    rmSync(runDirectory, { recursive: true, force: true, maxRetries: 3 });
  }
}
