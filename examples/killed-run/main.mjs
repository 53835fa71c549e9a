// An experiment is killed with SIGKILL while its fault is at work: the server hangs, and the tool that made it hang is gone.
// Who lets it go on? Run: node examples/killed-run/main.mjs
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const path = (relative) => fileURLToPath(new URL(relative, import.meta.url));
const toolquake = path('../../packages/toolquake/bin/toolquake.js');
const folder = mkdtempSync(join(tmpdir(), 'killed-run-'));
mkdirSync(join(folder, 'state'), { mode: 0o700 });
const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state'), NO_COLOR: '1' };

const server = spawn(process.execPath, [path('server.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
const [line] = await once(createInterface({ input: server.stdout }), 'line');
const { url, pid } = JSON.parse(line);
/** T: stopped. Anything else: at work. */
const stateOfServer = () => / ([A-Z]) /.exec(readFileSync(`/proc/${pid}/stat`, 'utf8').split(')').at(-1))?.[1];

writeFileSync(
  join(folder, 'freeze.yaml'),
  `version: 1
id: freeze
question: A server that hangs is noticed, and goes on when it may.
target: { name: shop, url: "${url}", budgets: { total: 2s } }
environment: example
manager: { pid: ${pid} }
monitor: { every: 300ms }
steady:
  - { signal: consecutive_failures, equals: 0, window: 1s, minSamples: 2, in: [before, after] }
actions:
  - { action: freeze-process, for: 60s }
times: { before: 1s, after: 1s, tick: 100ms }
`,
);

try {
  const run = spawn(process.execPath, [toolquake, 'run', 'freeze.yaml', '--yes'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const said of createInterface({ input: run.stdout })) {
    console.log(said);
    if (said.includes('in effect')) break;
  }
  assert.equal(stateOfServer(), 'T', 'the server hangs');
  run.kill('SIGKILL');
  await once(run, 'exit');
  const killed = performance.now();
  while (stateOfServer() === 'T') {
    assert(performance.now() - killed < 20_000, 'nobody let the server go on');
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  console.log(
    `\nThe run was killed with SIGKILL. The server went on ${Math.round(performance.now() - killed)} ms later, by the warden of the run.`,
  );
  const [runId] = (await promisify(execFile)(process.execPath, [toolquake, 'runs', '--json'], { cwd: folder, env })).stdout.match(
    /\d{8}-\d{6}-freeze-\w+/,
  );
  const log = readFileSync(join(folder, '.toolquake/runs', runId, 'ledger.jsonl'), 'utf8');
  assert.match(log, /warden/, 'the ledger says who undid it');
} finally {
  server.kill('SIGKILL');
}
rmSync(folder, { recursive: true, force: true });
