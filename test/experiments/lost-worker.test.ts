/** A fault is made by a process of its own, which may be killed: by somebody, or because the host has no memory left. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { commandOf, descendantsOf } from '../../packages/toolquake/src/managers/process-table.js';
import { binPath, createDesk } from '../cli/harness.js';
import { startSdk1 } from '../servers/http-sdk1.mjs';

const experiment = (url: string): string => `version: 1
id: more-load
question: Nothing breaks when more is asked for.
target: { url: "${url}" }
environment: test
monitor: { every: 300ms }
steady: [{ signal: probe_success, atLeast: 0.1, window: 1s, minSamples: 1 }]
actions: [{ action: run-load, params: { tool: echo, arguments: { text: hi }, perSecond: 10 }, for: 40s }]
rollback_on: [{ signal: outage_seconds, above: 300 }]
times: { before: 500ms, after: 500ms, tick: 100ms }
`;

test('a run whose fault has ended by itself is aborted: nothing is held by a fault that was not there', async () => {
  const server = await startSdk1();
  onTestFinished(() => server.stop());
  const { folder } = createDesk({ 'e.yaml': experiment(server.url) });
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
  await vi.waitFor(() => expect(journal()).toContain('"in-effect"'), { timeout: 60_000, interval: 100 });
  const [worker = 0] = descendantsOf(run.pid!).filter((pid) => commandOf(pid).at(-1) === 'load');
  process.kill(worker, 'SIGKILL');
  expect(await ended).toBe(1);
  const entries = journal()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { kind: string; why?: string; verdict?: string; state?: string });
  expect(entries.find(({ kind }) => kind === 'stop')).toMatchObject({
    why: 'A worker of the fault (load) ended before its time (SIGKILL).',
  });
  expect(entries.filter(({ kind }) => kind === 'undo')).toMatchObject([{ state: 'gone' }]);
  expect(entries.at(-1)).toMatchObject({ kind: 'verdict', verdict: 'aborted' });
});
