/** `toolquake run` restarts a server under a real PM2: to the end, and killed in the middle of it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { RunEntry } from '../../../packages/toolquake/src/core/run-entry.js';
import { commandOf, descendantsOf } from '../../../packages/toolquake/src/managers/process-table.js';
import { findLeftovers } from '../../../packages/toolquake/src/undo/leftovers.js';
import { findProcess, identify } from '../../../packages/toolquake/src/undo/process-identity.js';
import { readLedger } from '../../../packages/toolquake/src/undo/read-ledger.js';
import { binPath, createDesk } from '../../cli/harness.js';
import { nobodyIsLeft } from '../../experiments/undo/scene.js';
import { deadPort } from '../../tcp/harness.js';
import { providePm2, type Pm2 } from '../provide-pm2.js';
import { until } from './servers.js';

/** Says hello, and has no tools. */
const SERVER = `require('node:http').createServer((request, response) => {
  let text = '';
  request.on('data', (part) => (text += part)).on('end', () => {
    const { id, method, params } = JSON.parse(text || '{}');
    if (id === undefined) return response.writeHead(202).end();
    const hello = { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'plain', version: '1' } };
    const known = { initialize: hello, 'tools/list': { tools: [] }, ping: {} }[method];
    const answer = known === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: known };
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, ...answer }));
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
`;

let pm2: Pm2;
let port: number;
beforeAll(async () => {
  [pm2, port] = [await providePm2(), await deadPort()];
  const script = join(pm2.home, 'plain.cjs');
  writeFileSync(script, SERVER);
  const apps = [{ name: 'plain', script, env: { PORT: String(port) } }];
  writeFileSync(join(pm2.home, 'apps.json'), JSON.stringify({ apps }));
  await pm2.pm2('start', join(pm2.home, 'apps.json'));
});
afterAll(() => pm2?.stop());

type Started = { readonly run: ChildProcess; readonly folder: string; readonly env: NodeJS.ProcessEnv; entries(): readonly RunEntry[] };

function start(params: object, lasts: string): Started {
  const { folder } = createDesk({
    'e.yaml': JSON.stringify({
      version: 1,
      id: 'deploy',
      question: 'A deployment is survived.',
      target: { url: `http://127.0.0.1:${port}/mcp`, era: 'legacy' },
      environment: 'test',
      manager: { pm2: 'plain' },
      monitor: { every: '300ms' },
      steady: [{ signal: 'probe_success', atLeast: 0.5, window: '1s', minSamples: 1, in: ['before', 'after'] }],
      actions: [{ id: 'deploy', action: 'restart-server', params, for: lasts }],
      times: { before: '500ms', after: '500ms', tick: '100ms' },
      expect: { recoverWithin: '10s' },
    }),
  });
  const env = { ...process.env, ...pm2.env, NODE_ENV: '', TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  const run = spawn(process.execPath, [binPath, 'run', 'e.yaml', '--yes'], { cwd: folder, env, stdio: 'ignore' });
  onTestFinished(() => void run.kill('SIGTERM'));
  const textOf = (): string => {
    const path = runFile(folder, 'journal.jsonl');
    return existsSync(path) ? readFileSync(path, 'utf8') : '';
  };
  // The last line may be half of one.
  const entries = (): readonly RunEntry[] =>
    textOf()
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as RunEntry);
  return { run, folder, env, entries };
}

function runFile(folder: string, name: string): string {
  const runs = join(folder, '.toolquake', 'runs');
  return join(runs, (existsSync(runs) ? readdirSync(runs)[0] : undefined) ?? 'none', name);
}

const told = (entries: readonly RunEntry[]): string =>
  entries.flatMap((entry) => (['sample', 'steady'].includes(entry.kind) ? [] : [JSON.stringify(entry)])).join('\n');

test('to the end: each restart is seen, none is taken for a crash, and all is held', async () => {
  const { run, entries } = start({ times: 2, gap: '500ms' }, '3s');
  expect(await new Promise((resolve) => run.once('close', resolve)), told(entries())).toBe(0);
  expect(entries().flatMap((entry) => (entry.kind === 'undo' ? [entry.state] : []))).toEqual(['gone', 'undone']);
  expect(entries().filter((entry) => entry.kind === 'finding')).toEqual([]);
});

test('killed in the middle: whoever restarts it ends, the server runs, and nothing is left (invariant 1)', async () => {
  const { run, folder, env, entries } = start({ times: 50, gap: '200ms' }, '40s');
  await until(() => entries().some((entry) => entry.kind === 'action' && entry.state === 'in-effect'));
  const workers = descendantsOf(run.pid!).filter((pid) => commandOf(pid).at(-1) === 'restarts');
  const restarter = identify(workers[0]!)!;
  run.kill('SIGKILL');
  const ledger = runFile(folder, 'ledger.jsonl');
  await nobodyIsLeft(ledger);
  expect(findProcess(restarter)).toBeUndefined();
  expect(readLedger(ledger)).toMatchObject({ isClean: true, isClosed: true });
  expect(findLeftovers(env)).toEqual([]);
  // A restart that PM2 had begun is finished by it.
  const ping = { method: 'POST', body: '{"jsonrpc":"2.0","id":1,"method":"ping"}' };
  await until(async () => (await fetch(`http://127.0.0.1:${port}/mcp`, ping).catch(() => undefined))?.ok === true);
});
