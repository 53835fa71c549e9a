// What a decision costs: per call when no rule matches, per fired rule, and reading the head of a frame against
// parsing it. Everything in one run and one process, so that the ratios mean something on any machine.
// Run: node bench/decide.mjs   (needs a build: npm run build)
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import {
  createDecider,
  createPerformer,
  EMPTY_PLAN,
  frameFromBytes,
  frameFromMessage,
  frameHead,
  keyedRandom,
  startSession,
} from '../packages/sdk/dist/core/index.js';
import { errorResponse, latency } from '../packages/sdk/dist/faults/index.js';

// Allocation is read as growth of the heap, which needs a young generation so large that nothing is collected meanwhile.
const FLAGS = ['--expose-gc', '--min-semi-space-size=256', '--max-semi-space-size=256'];
if (globalThis.gc === undefined) {
  process.exit(spawnSync(process.execPath, [...FLAGS, fileURLToPath(import.meta.url)], { stdio: 'inherit' }).status ?? 1);
}

const encoder = new TextEncoder();
const ROUNDS = 25;
let sink = 0;

/** Nanoseconds per run: the best of some rounds of about 10 ms. The best, because a busy machine only ever adds. */
function nanoseconds(action) {
  let times = 16;
  for (;;) {
    const started = process.hrtime.bigint();
    for (let run = 0; run < times; run++) action();
    if (Number(process.hrtime.bigint() - started) > 10e6) break;
    times *= 2;
  }
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS; round++) {
    const started = process.hrtime.bigint();
    for (let run = 0; run < times; run++) action();
    best = Math.min(best, Number(process.hrtime.bigint() - started) / times);
  }
  return best;
}

/** Bytes that the heap grows by per run. */
function bytesPerRun(action, times) {
  for (let run = 0; run < 20_000; run++) action();
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  for (let run = 0; run < times; run++) action();
  return Math.max(0, process.memoryUsage().heapUsed - before) / times;
}

const rule = (id, fault, params, more = {}) => ({
  id,
  fault,
  params,
  when: {},
  at: {},
  probability: 1,
  shape: { kind: 'iid' },
  phase: fault.phases[0],
  isEnabled: true,
  ...more,
});

const decider = (rules, observesAll = false) =>
  createDecider({ plan: { ...EMPTY_PLAN, seed: 42, rules }, random: keyedRandom(42), transport: 'simulator', startedAtMs: 0, observesAll });

const message = {
  jsonrpc: '2.0',
  id: 17,
  method: 'tools/call',
  params: { name: 'search_web', arguments: { query: 'the weather in Lisbon', limit: 10 } },
};
const bytes = encoder.encode(JSON.stringify(message));
const text = JSON.stringify(message);
const frame = frameFromMessage('to-server', message);
frameHead(frame);

/** Runs that allocate: few enough to fit the young generation. */
const FEWER = 20_000;

const rows = [];
const measure = (name, action, times = 1_000_000) => {
  rows.push({ name, ns: nanoseconds(action), bytes: bytesPerRun(action, times) });
};

// Baselines.
measure('an empty call', () => {});
measure(
  'JSON.parse of the same frame',
  () => {
    if (JSON.parse(text).id === 0) sink++;
  },
  FEWER,
);

// No rule matches.
const elsewhere = (count) =>
  Array.from({ length: count }, (_, index) =>
    rule(
      `r${index}`,
      index % 2 === 0 ? latency : errorResponse,
      {},
      { when: { tool: [index % 3 === 0 ? `other_${index}_*` : `other_${index}`] } },
    ),
  );
for (const count of [0, 1, 20]) {
  const deciding = decider(elsewhere(count));
  const session = startSession();
  measure(`request, no match among ${count} rule${count === 1 ? '' : 's'}`, () => {
    if (deciding.request(session, frame, 0).effects !== undefined) sink++;
  });
}
{
  const deciding = decider([rule('lists', latency, {}, { when: { method: ['tools/list'] } })]);
  const session = startSession();
  measure('request, rule for another method', () => {
    if (deciding.request(session, frame, 0).effects !== undefined) sink++;
  });
}
{
  const performer = createPerformer({
    decider: decider(elsewhere(20)),
    clock: { nowMs: () => 0, schedule: () => () => {} },
    ends: {},
    journal: () => {},
    startedAtMs: 0,
    onProblem: (error) => {
      throw error;
    },
  });
  const session = startSession({ era: 'legacy' });
  measure('the same through the performer, 20 rules', () => {
    if (performer.request(session, frame).effects !== undefined) sink++;
  });
}

// A rule matches.
const fired = (name, rules) => {
  const deciding = decider(rules);
  const session = startSession();
  measure(
    name,
    () => {
      const { exchange, effects } = deciding.request(session, frame, 0);
      if (effects !== undefined) sink++;
      if (exchange !== undefined) session.waiting['to-server'].delete(exchange.id);
    },
    FEWER,
  );
};
fired('request, 1 rule matches and loses its draw', [rule('never', errorResponse, { code: -1, message: '' }, { probability: 1e-9 })]);
fired('request, 1 rule fires (error-response)', [rule('fail', errorResponse, { code: -32603, message: 'no' })]);
fired('request, 5 rules fire', [
  rule('fail', errorResponse, { code: -32603, message: 'no' }),
  ...Array.from({ length: 4 }, (_, index) => rule(`slow${index}`, latency, { addedMs: 5, jitterMs: 1 }, { phase: 'pre' })),
]);

// Reading heads.
const parseBytes = (from) => JSON.parse(Buffer.from(from.buffer, from.byteOffset, from.byteLength).toString('utf8'));
const heads = [];
const compare = (name, from) => {
  const read = nanoseconds(() => {
    if (!frameHead(frameFromBytes('to-client', from)).isComplete) sink++;
  });
  const parse = nanoseconds(() => {
    if (parseBytes(from).id === 0) sink++;
  });
  heads.push({ name, size: from.length, read, parse });
};
const result = (content) => encoder.encode(JSON.stringify({ jsonrpc: '2.0', id: 17, result: { content } }));
const mebibyte = 1024 * 1024;
const record = { id: 12345, name: 'Ada Lovelace', tags: ['a', 'b', 'c'], score: 0.25, isActive: true, note: 'some words about this one' };
const records = Array.from({ length: 8500 }, (_, index) => ({ ...record, id: index }));
compare('a small request', bytes);
compare('a small result', result([{ type: 'text', text: 'Sunny, 24 degrees.' }]));
compare('1 MiB result, one long text', result([{ type: 'text', text: 'word '.repeat(mebibyte / 5) }]));
compare('1 MiB result, JSON inside text', result([{ type: 'text', text: JSON.stringify(records) }]));
compare('1 MiB result, structured', encoder.encode(JSON.stringify({ jsonrpc: '2.0', id: 17, result: { structuredContent: { records } } })));

function table(lines) {
  const widths = lines[0].map((_, column) => Math.max(...lines.map((line) => line[column].length)));
  for (const line of lines)
    console.log(line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]) : cell.padStart(widths[column]))).join('  '));
}

const time = (ns) => (ns < 1000 ? `${ns.toFixed(1)} ns` : ns < 1e6 ? `${(ns / 1000).toFixed(2)} us` : `${(ns / 1e6).toFixed(2)} ms`);
const parseRow = rows[1];
console.log(`Node ${process.version}\n`);
table([
  ['decisions', 'per call', 'of JSON.parse', 'allocated'],
  ...rows.map(({ name, ns, bytes: allocated }) => [name, time(ns), `${(ns / parseRow.ns).toFixed(3)}x`, `${allocated.toFixed(1)} B`]),
]);
console.log('');
table([
  ['heads', 'bytes', 'head', 'JSON.parse', 'parse / head'],
  ...heads.map(({ name, size, read, parse }) => [name, String(size), time(read), time(parse), `${(parse / read).toFixed(1)}x`]),
]);
// Told at the end, so that the work above cannot be optimised away.
if (sink < 0) console.log(sink);
