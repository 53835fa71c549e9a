// How many simulated calls per second go through the real decider and performer, against plain JavaScript that does the
// same arithmetic with one record object per call and nothing else (the limit that peers were measured against too).
//   node bench/simulator.mjs                side by side, in rounds; prints ratios
//   node bench/simulator.mjs --seeds 2000   one run, one JSON line: for the shared harness
// Needs nothing built: it bundles the simulator from its sources, as the product does.
import { performance } from 'node:perf_hooks';
import { loadSources } from './load-sources.mjs';

const given = (name, fallback) => {
  const index = process.argv.indexOf(`--${name}`);
  return index === -1 ? fallback : process.argv[index + 1];
};
const isOneRun = process.argv.includes('--seeds');
const workload = {
  seeds: Number(given('seeds', 400)),
  tasks: Number(given('tasks', 200)),
  fanout: Number(given('fanout', 8)),
  rate: Number(given('rate', 0.02)),
  isResilient: given('resilient', '0') === '1',
  random: given('random', 'mersenne'),
};
const rounds = Number(given('rounds', 9));

const { simulate, failingCalls, headlinePlan, HEADLINE_RESILIENCE, mersenneTwister } = await loadSources([
  'toolquake/src/simulator/simulation.ts',
  'toolquake/src/simulator/headline.ts',
  'toolquake/src/simulator/agent.ts',
  'sdk/src/core/mersenne-twister.ts',
]);

function simulateAll({ seeds, tasks, fanout, rate, isResilient, random }) {
  const sum = { calls: 0, correct: 0, failed: 0 };
  const started = performance.now();
  for (let seed = 0; seed < seeds; seed++) {
    const plan = headlinePlan(failingCalls(rate), seed);
    const { tally } = simulate({ plan, seed, random, tasks, fanout, resilience: isResilient ? HEADLINE_RESILIENCE : undefined });
    // Operations, as the peers count calls: retries are part of one.
    sum.calls += tally.operations.seen;
    sum.correct += tally.operations.correct;
    sum.failed += tally.failedTasks;
  }
  return { ...sum, seconds: (performance.now() - started) / 1000 };
}

/** The same model without events, frames, rules or a clock. */
function plainAll({ seeds, tasks, fanout, rate, isResilient }) {
  const tools = ['a', 'b', 'c', 'd', 'e'];
  const sum = { calls: 0, correct: 0, failed: 0 };
  const started = performance.now();
  for (let seed = 0; seed < seeds; seed++) {
    const next = mersenneTwister(seed);
    const records = [];
    const breakers = new Map(tools.map((tool) => [tool, { total: 0, correct: 0, isOpen: false }]));
    for (let task = 0; task < tasks; task++) {
      let isFine = true;
      for (let step = 0; step < fanout; step++) {
        const tool = tools[step % tools.length];
        const breaker = breakers.get(tool);
        const isSpare = isResilient && step >= fanout - 2;
        if (breaker.isOpen) {
          isFine &&= isSpare;
          continue;
        }
        let record;
        for (let attempt = 0; attempt <= (isResilient ? 2 : 0); attempt++) {
          record = { tool, task, attempt, latencyMs: 20, deadlineMs: 1000, error: next() < rate ? 'failed' : undefined };
          if (record.error === undefined) break;
        }
        records.push(record);
        breaker.total++;
        if (record.error === undefined) breaker.correct++;
        else isFine &&= isSpare;
        if (isResilient && breaker.total >= 4 && breaker.correct / breaker.total < 0.5) breaker.isOpen = true;
      }
      if (!isFine) sum.failed++;
    }
    sum.calls += records.length;
    sum.correct += records.filter(({ error, latencyMs, deadlineMs }) => error === undefined && latencyMs <= deadlineMs).length;
  }
  return { ...sum, seconds: (performance.now() - started) / 1000 };
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

if (isOneRun) {
  const { calls, correct, failed, seconds } = simulateAll(workload);
  console.log(JSON.stringify({ calls, seconds, success: correct / calls, blast: failed / (workload.tasks * workload.seeds) }));
} else {
  const isComparable = workload.random === 'mersenne';
  const ratios = [];
  const rates = [];
  for (let round = 0; round < rounds; round++) {
    // Alternating, so that a busy moment of the machine hits both.
    const ours = simulateAll(workload);
    const plain = plainAll(workload);
    // The plain loop draws in sequence; keyed draws fail other calls, and are compared by speed alone.
    if (isComparable && (ours.calls !== plain.calls || ours.failed !== plain.failed)) {
      throw new Error(`The results differ: ${JSON.stringify({ ours, plain })}`);
    }
    rates.push(ours.calls / ours.seconds);
    ratios.push(plain.seconds / ours.seconds);
  }
  console.log(
    `simulator, ${workload.tasks} tasks x ${workload.fanout} calls x ${workload.seeds} seeds, rate ${workload.rate}, resilient ${workload.isResilient}, ${workload.random} draws, ${rounds} rounds`,
  );
  console.log(
    `  ${(median(rates) / 1e6).toFixed(2)} million calls/s, ${median(ratios).toFixed(3)} of plain JavaScript with objects${isComparable ? '; same failed tasks in every round' : ''}`,
  );
}
