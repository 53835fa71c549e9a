/** A fault ends before its time: with the process that makes it, which may be killed, or because the host runs short. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandOf, descendantsOf } from '../../packages/toolquake/src/managers/process-table.js';
import { binPath, createDesk } from '../cli/harness.js';
import { startSdk1 } from '../servers/http-sdk1.mjs';

type Entry = { kind: string; why?: string; verdict?: string; state?: string; rule?: { signal: string } };
type Started = { readonly pid: number; readonly ended: Promise<unknown>; journal(): string; entries(): readonly Entry[] };

/** Starts a run that does this for far longer than the test lasts. */
function start(target: object, action: object, rollbackOn: object): Started {
  const experiment = {
    version: 1,
    id: 'early-end',
    question: 'Nothing breaks when more is asked for.',
    target,
    environment: 'test',
    monitor: { every: '300ms' },
    steady: [{ signal: 'probe_success', atLeast: 0.1, window: '1s', minSamples: 1 }],
    actions: [{ ...action, for: '60s' }],
    rollback_on: [rollbackOn],
    times: { before: '500ms', after: '500ms', tick: '100ms' },
  };
  const { folder } = createDesk({ 'e.yaml': JSON.stringify(experiment) });
  const runs = join(folder, '.toolquake', 'runs');
  const journal = (): string =>
    (existsSync(runs) ? readdirSync(runs) : [])
      .map((run) => join(runs, run, 'journal.jsonl'))
      .map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : ''))
      .join('');
  const run = spawn(process.execPath, [binPath, 'run', 'e.yaml', '--yes'], {
    cwd: folder,
    env: { ...process.env, NODE_ENV: '', TOOLQUAKE_STATE_DIR: join(folder, 'state') },
    stdio: 'ignore',
  });
  onTestFinished(() => void run.kill('SIGTERM'));
  const ended = new Promise((resolve) => run.once('close', resolve));
  const entries = (): readonly Entry[] =>
    journal()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Entry);
  return { pid: run.pid ?? 0, ended, journal, entries };
}

test('a run whose fault has ended by itself is aborted: nothing is held by a fault that was not there', async () => {
  const server = await startSdk1();
  onTestFinished(() => server.stop());
  const load = { action: 'run-load', params: { tool: 'echo', arguments: { text: 'hi' }, perSecond: 10 } };
  const run = start({ url: server.url }, load, { signal: 'outage_seconds', above: 300 });
  await vi.waitFor(() => expect(run.journal()).toContain('"in-effect"'), { timeout: 60_000, interval: 100 });
  const [worker = 0] = descendantsOf(run.pid).filter((pid) => commandOf(pid).at(-1) === 'load');
  process.kill(worker, 'SIGKILL');
  expect(await run.ended).toBe(1);
  const entries = run.entries();
  expect(entries.find(({ kind }) => kind === 'stop')).toMatchObject({
    why: 'A worker of the fault (load) ended before its time (SIGKILL).',
  });
  expect(entries.filter(({ kind }) => kind === 'undo')).toMatchObject([{ state: 'gone' }]);
  expect(entries.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'aborted' });
});

test('sessions that would use up the memory or the processors of this host are let go of', async () => {
  const server = await startSdk1();
  onTestFinished(() => server.stop());
  const holding = { action: 'exhaust-pool', params: { sessions: 20, tool: 'echo', arguments: { text: 'hi' }, every: '100ms' } };
  const aborted = async (signal: string): Promise<void> => {
    // As if this host were nearly used up: they are let go of while they are still being opened, or just after.
    const run = start({ url: server.url }, holding, { signal, above: 0.001, window: '5s', for: '700ms' });
    expect(await run.ended).toBe(1);
    const entries = run.entries();
    expect(entries.find(({ kind }) => kind === 'trip')).toMatchObject({ rule: { signal } });
    expect(entries.filter(({ kind }) => kind === 'undo')).toMatchObject([{ state: 'gone' }]);
    expect(entries.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'aborted' });
  };
  await Promise.all(['host_memory', 'host_cpu'].map(aborted));
});
