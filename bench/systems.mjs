// Does the cost of a simulated system grow linearly with its events, and does its memory stay flat?
// One system (agents, a gateway, three replicas with a pool, a fault plan) for 10^4 to 10^7 events, in one process each, so
// that nothing is warm or dirty from the run before; rounds alternate, ratios are to the 10^5 row of the same round.
//   node bench/systems.mjs                  the table
//   node bench/systems.mjs --events 1000000 one run, one JSON line
import { execFileSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { loadSources } from './load-sources.mjs';

const given = (name, fallback) => {
  const index = process.argv.indexOf(`--${name}`);
  return index === -1 ? fallback : Number(process.argv[index + 1]);
};

/** Half a virtual minute: every queue, timeout and memory has reached its size. */
const WARM_UP_EVENTS = 400_000;

const SYSTEM = {
  lasts: '720h',
  gateway: { connections: 200 },
  servers: {
    shop: { tools: ['look', 'buy'], writes: ['buy'], replicas: 3, workers: 40, pool: 30, service: { median: '60ms', p99: '250ms' } },
  },
  agents: {
    visitor: {
      steps: ['look', 'buy'],
      perSecond: 400,
      concurrency: 2000,
      timeout: '2s',
      taskDeadline: '10s',
      retry: { max: 2, jitter: 0.5 },
    },
  },
  plan: {
    rules: [
      { id: 'flaky', fault: 'error-response', probability: 0.02 },
      { id: 'lost', fault: 'lost-ack', probability: 0.001 },
    ],
  },
};

async function oneRun(events) {
  const { checkTopology, createPlane, createCatalogue, errorResponse, lostAck } = await loadSources([
    'toolquake/src/simulator/check-topology.ts',
    'toolquake/src/simulator/plane.ts',
    'sdk/src/core/fault.ts',
    'sdk/src/faults/error-response.ts',
    'sdk/src/faults/lost-ack.ts',
  ]);
  const { topology, problems } = checkTopology(SYSTEM, createCatalogue([errorResponse, lostAck]));
  if (topology === undefined) throw new Error(JSON.stringify(problems));
  const plane = createPlane({ topology, seed: 1 });
  const slice = 10_000;
  // Compiled and in full swing after the first events; what is measured is what comes after.
  plane.run(WARM_UP_EVENTS);
  globalThis.gc();
  const before = process.memoryUsage().heapUsed;
  const started = performance.now();
  for (let done = 0; done < events; done += slice) plane.run(slice);
  const ms = performance.now() - started;
  globalThis.gc();
  return { events, nsPerEvent: (ms * 1e6) / events, heapGrowthKb: (process.memoryUsage().heapUsed - before) / 1024 };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

if (process.argv.includes('--events')) console.log(JSON.stringify(await oneRun(given('events'))));
else {
  const sizes = [1e4, 1e5, 1e6, 1e7];
  const rounds = given('rounds', 5);
  const self = fileURLToPath(import.meta.url);
  const results = new Map(sizes.map((size) => [size, []]));
  for (let round = 0; round < rounds; round++) {
    for (const size of sizes) {
      const text = execFileSync(process.execPath, ['--expose-gc', self, '--events', String(size)], { encoding: 'utf8' });
      results.get(size).push(JSON.parse(text));
    }
  }
  console.log(`simulated system, ${rounds} rounds; medians`);
  console.log('     events   ns/event   x the 10^5 row   heap growth');
  for (const size of sizes) {
    const runs = results.get(size);
    const ratio = median(runs.map(({ nsPerEvent }, round) => nsPerEvent / results.get(1e5)[round].nsPerEvent));
    const [ns, kb] = [median(runs.map((run) => run.nsPerEvent)), median(runs.map((run) => run.heapGrowthKb))];
    console.log(
      `${String(size).padStart(11)}   ${ns.toFixed(0).padStart(8)}   ${ratio.toFixed(2).padStart(14)}   ${kb.toFixed(0).padStart(8)} KiB`,
    );
  }
}
