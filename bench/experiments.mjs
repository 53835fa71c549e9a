// How long it takes from the sample that trips a tripwire to the fault being gone, while the machine is busy with a workload:
// invariant 14 asks for 2 s at p99. Everything is real: server, proxy, workload, ledger, warden, undo.
//   node bench/experiments.mjs [--runs 20] [--busy 2]
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { startSdk1 } from '../test/servers/http-sdk1.mjs';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '20' }, busy: { type: 'string', default: '2' } } });
const runs = Number(values.runs);
const cli = fileURLToPath(new URL('../packages/toolquake/bin/toolquake.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'toolquake-bench-experiments-'));
mkdirSync(join(folder, 'state'), { mode: 0o700 });
const server = await startSdk1();
const tickMs = 100;

const experiment = {
  version: 1,
  id: 'trip',
  question: 'A tripwire puts everything back at once.',
  target: { name: 'sdk1', url: server.url },
  environment: 'bench',
  monitor: { every: '500ms' },
  load: { tool: 'echo', arguments: { text: 'hi' }, clients: 8, perSecond: 200, timeout: '2s' },
  front: {},
  steady: [{ signal: 'probe_success', atLeast: 0.1, window: '1s', minSamples: 1, in: ['before', 'after'] }],
  actions: [
    {
      id: 'errors',
      action: 'plan',
      params: { plan: { version: 1, rules: [{ id: 'broken', fault: 'error-response', when: { tool: 'echo' } }] } },
      for: '30s',
    },
  ],
  dose: { ladder: [100], minFaulted: 1 },
  // What is injected trips it: this measures the way from the wire to the undo, not a judgement.
  rollback_on: [{ signal: 'error_rate', lane: 'faulted', above: 0.5, window: '1s', minSamples: 20 }],
  times: { before: '1s', after: '500ms', tick: `${tickMs}ms` },
  lease: { ttl: '20s', heartbeat: '2s' },
  expect: { recoverWithin: '3s' },
};
writeFileSync(join(folder, 'trip.yaml'), JSON.stringify(experiment));

/** Takes a processor, as the neighbours of a real server do. */
const hogs = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;) Math.sqrt(Math.random())'], { stdio: 'ignore' }),
);

function runOnce() {
  const env = { ...process.env, TOOLQUAKE_STATE_DIR: join(folder, 'state') };
  const child = spawn(process.execPath, [cli, 'run', 'trip.yaml', '--yes', '--quiet'], { cwd: folder, env, stdio: 'ignore' });
  return new Promise((resolve) => child.once('close', resolve));
}

function measure(runId) {
  const entries = readFileSync(join(folder, '.toolquake/runs', runId, 'journal.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const trip = entries.find((entry) => entry.kind === 'trip');
  const undo = entries.findLast((entry) => entry.kind === 'undo');
  const verdict = entries.at(-1);
  // The last call that was hit ended this long after the trip: what callers felt.
  const hit = entries.findLast((entry) => entry.kind === 'sample' && entry.sample.source === 'call' && entry.sample.lane === 'faulted');
  return { verdict: verdict.verdict, undoneMs: undo.atMs - trip.atMs, lastHitMs: Math.max(0, hit.atMs - trip.atMs) };
}

const results = [];
try {
  for (let run = 0; run < runs; run++) {
    await runOnce();
    const newest = readdirSync(join(folder, '.toolquake/runs')).sort().at(-1);
    results.push(measure(newest));
    process.stderr.write(`\r${run + 1} of ${runs}`);
  }
} finally {
  for (const hog of hogs) hog.kill('SIGKILL');
  await server.stop();
}
rmSync(folder, { recursive: true, force: true });
process.stderr.write('\n');

const odd = results.filter(({ verdict }) => verdict !== 'aborted');
if (odd.length > 0) throw new Error(`${odd.length} runs were not aborted by the tripwire: ${odd.map(({ verdict }) => verdict).join(', ')}`);
const row = (name, key) => {
  const sorted = results.map((one) => one[key]).sort((a, b) => a - b);
  const at = (share) => sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)].toFixed(0);
  return `  ${name.padEnd(34)} p50 ${at(0.5).padStart(5)} ms   p99 ${at(0.99).padStart(5)} ms   worst ${sorted.at(-1).toFixed(0).padStart(5)} ms`;
};
console.log(`${runs} runs, 200 calls a second, ${values.busy} processors kept busy, a look every ${tickMs} ms; bar: 2000 ms at p99`);
console.log(row('trip to undo verified', 'undoneMs'));
console.log(row('trip to the last call that was hit', 'lastHitMs'));
