/** `toolquake run`, killed wherever its ledger says that something happens. */
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findLeftovers, sweep } from '../../packages/toolquake/src/undo/leftovers.js';
import { readStat } from '../../packages/toolquake/src/undo/process-identity.js';
import { startSdk1 } from '../servers/http-sdk1.mjs';
import { fewAtATime, killAt, pointsOf, type Attempt } from './undo/fault-point-sweep.js';
import { nobodyIsLeft } from './undo/scene.js';

const cli = fileURLToPath(new URL('../../packages/toolquake/bin/toolquake.js', import.meta.url));
const ADMIN_TOKEN = 'a-token-of-this-test';

let server: Awaited<ReturnType<typeof startSdk1>>;
let proxy: { readonly url: string; readonly adminUrl: string; readonly child: ChildProcess };
const children: ChildProcess[] = [];

beforeAll(async () => {
  server = await startSdk1();
  const child = spawn(process.execPath, [cli, 'proxy', 'http', '--upstream', server.url, '--port', '0', '--admin-port', '0', '--json'], {
    env: { ...process.env, TOOLQUAKE_ADMIN_TOKEN: ADMIN_TOKEN },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = await new Promise<string>((resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`the proxy ended with ${code}`)));
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => text.includes('adminUrl') && resolve(text));
  });
  const line = said.split('\n').find((one) => one.includes('adminUrl')) ?? '{}';
  proxy = { ...(JSON.parse(line.slice(line.indexOf('{'))) as { url: string; adminUrl: string }), child };
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  proxy.child.kill('SIGKILL');
  await server.stop();
});

let attempts = 0;

/** A folder of its own, a process of its own to freeze, and a rule of its own to inject: nothing that another attempt could change. */
function attempt(): Attempt & { readonly folder: string; readonly output: () => string } {
  const number = ++attempts;
  const folder = mkdtempSync(join(tmpdir(), 'toolquake-kill-run-'));
  const frozen = spawn('sleep', ['600'], { stdio: 'ignore' });
  children.push(frozen);
  const rule = `late-${number}`;
  const file = join(folder, 'shake.yaml');
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  writeFileSync(
    file,
    JSON.stringify({
      version: 1,
      id: 'shake',
      question: 'Nothing is left behind.',
      target: { name: 'sdk1', url: proxy.url },
      environment: 'test',
      monitor: { every: '300ms' },
      load: { tool: 'echo', arguments: { text: 'hi' }, clients: 1, perSecond: 10, timeout: '2s' },
      steady: [{ signal: 'probe_success', atLeast: 0.1, window: '1s', minSamples: 1 }],
      actions: [
        { id: 'freeze', action: 'freeze-process', params: { pid: frozen.pid }, for: '100ms' },
        {
          id: 'slow',
          action: 'plan',
          params: {
            where: 'admin',
            adminUrl: proxy.adminUrl,
            tokenVariable: 'TEST_ADMIN_TOKEN',
            plan: { version: 1, rules: [{ id: rule, fault: 'latency', params: { addedMs: 20 }, when: { tool: 'echo' } }] },
          },
          for: '200ms',
        },
      ],
      dose: { ladder: [100], minFaulted: 1 },
      times: { before: '500ms', after: '500ms', tick: '100ms' },
      lease: { ttl: '10s', heartbeat: '1s' },
      expect: { recoverWithin: '5s' },
    }),
  );
  const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state'), TEST_ADMIN_TOKEN: ADMIN_TOKEN };
  let output = '';
  const rulesNow = new Set<string>();
  const look = async (): Promise<void> => {
    const response = await fetch(`${proxy.adminUrl}/chaos/status`, { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } });
    const { faults } = (await response.json()) as { faults: { id: string }[] };
    rulesNow.clear();
    for (const { id } of faults) rulesNow.add(id);
  };
  return {
    folder,
    output: () => output,
    async run(more) {
      const child = spawn(process.execPath, [cli, 'run', file, '--yes'], {
        cwd: folder,
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      return new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal })));
    },
    async settled() {
      await nobodyIsLeft(ledgerIn(folder));
      await look();
    },
    async sweep() {
      await sweep(env);
      await look();
      return findLeftovers(env);
    },
    snapshot: () => ({ frozen: readStat(frozen.pid ?? 0)?.state === 'T', rule: rulesNow.has(rule) }),
  };
}

function ledgerIn(folder: string): string {
  const runs = join(folder, '.toolquake', 'runs');
  const [run = 'none'] = existsSync(runs) ? readdirSync(runs) : [];
  return join(runs, run, 'ledger.jsonl');
}

test('a clean run holds, undoes all and leaves nothing in the state folder', async () => {
  const one = attempt();
  const { code } = await one.run({});
  await one.settled();
  expect(code, one.output()).toBe(0);
  expect(one.snapshot()).toEqual({ frozen: false, rule: false });
  expect(await one.sweep()).toEqual([]);
  expect(readFileSync(ledgerIn(one.folder), 'utf8')).not.toContain(ADMIN_TOKEN);
});

test('invariant 1: SIGKILL of "toolquake run" at every fault point leaves the world as it was, with no sweep needed', async () => {
  const points = (await pointsOf(attempt())).filter((point) => point.startsWith('runner '));
  // Two changes: open, two intents, two times applied, two outcomes, close; before, torn and after each; and the undos themselves.
  expect(points.length).toBeGreaterThan(20);
  const results = await fewAtATime(points, 4, (point) => killAt(attempt(), point));
  expect(results.filter(({ isRestored, signal, left }) => !isRestored || signal !== 'SIGKILL' || left.length > 0)).toEqual([]);
});

test('invariant 2: SIGKILL of runner and warden is cleaned up by the next run before it starts', async () => {
  const one = attempt();
  const result = await killAt(one, 'runner applied 2 after;warden undo 2 before');
  expect(result).toMatchObject({ isRestored: false, isRestoredBySweep: true, left: [] });
  const { code } = await one.run({});
  expect(code, one.output()).toBe(0);
});
