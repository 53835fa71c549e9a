/** Simulated systems, held against queueing theory where there is a formula, and against what each part promises elsewhere. */
import { createCatalogue, journalLine, measuresOf, sketchFromJSON, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { checkTopology } from './check-topology.js';
import { createPlane, type Summary } from './plane.js';

const catalogue = createCatalogue(faults);

function planeOf(source: JsonObject, seed = 1, journal?: (entry: JournalEntry) => void): ReturnType<typeof createPlane> {
  const { topology, problems } = checkTopology(source, catalogue);
  if (topology === undefined) throw new Error(JSON.stringify(problems));
  return createPlane({ topology, seed, journal });
}
const run = (source: JsonObject, seed = 1, journal?: (entry: JournalEntry) => void): Summary => planeOf(source, seed, journal).run()!;
const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
const failedShare = ({ tally }: Summary): number => tally.failedTasks / tally.tasks;

/** One server, one agent; the parts given are put over it. */
const system = (server: JsonObject = {}, agent: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  servers: { shop: { tools: ['look'], ...server } },
  agents: { visitor: { tools: ['look'], ...('perSecond' in agent ? {} : { tasks: 200 }), ...agent } },
  ...rest,
});

/** Erlang's C formula: the chance that a call must wait, with `load` work for `workers`. */
function chanceToWait(workers: number, load: number): number {
  let term = 1;
  let sum = 1;
  for (let n = 1; n < workers; n++) {
    term *= load / n;
    sum += term;
  }
  const last = ((term * load) / workers) * (workers / (workers - load));
  return last / (sum + last);
}

describe('queueing theory', { timeout: 30_000 }, () => {
  test.each([
    { workers: 1, perSecond: 10 },
    { workers: 1, perSecond: 16 },
    { workers: 4, perSecond: 64 },
    { workers: 16, perSecond: 280 },
  ])('M/M/$workers at $perSecond calls per second waits as long as Erlang says', ({ workers, perSecond }) => {
    const meanMs = 50;
    const load = (perSecond * meanMs) / 1000;
    const expectedMs = meanMs + (chanceToWait(workers, load) * meanMs) / (workers - load) + 1;
    const agent = { perSecond, concurrency: 100_000, deadline: '1h', timeout: '1h' };
    const latencies = [1, 2, 3, 4].map((seed) => {
      const summary = run(
        system({ workers, queue: 100_000, service: { exponential: `${meanMs}ms` } }, agent, { lasts: `${Math.ceil(12_000 / perSecond)}s` }),
        seed,
      );
      const sketch = sketchFromJSON(summary.latency['look']);
      return mean(Array.from({ length: 1000 }, (_, index) => sketch.quantile((index + 0.5) / 1000)!));
    });
    expect(Math.abs(mean(latencies) / expectedMs - 1)).toBeLessThan(0.08);
  });

  test("Little's law: what is under way is what arrives times how long it takes", () => {
    const windows: (JournalEntry & { kind: 'window' })[] = [];
    const source = system({ workers: 200, service: { exponential: '100ms' } }, { perSecond: 300, concurrency: 10_000 }, { lasts: '5m' });
    run(source, 1, (entry) => void (entry.kind === 'window' && windows.push(entry)));
    const inFlight = mean(windows.slice(5, 295).map((window) => window.inFlight));
    expect(Math.abs(inFlight / (300 * 0.101) - 1)).toBeLessThan(0.05);
  });

  test('as many tasks arrive as were asked for', () => {
    const tasks = [1, 2, 3, 4, 5].map((seed) => run(system({}, { perSecond: 50, concurrency: 1000 }, { lasts: '60s' }), seed).tally.tasks);
    // A Poisson number of 3000, five times: three standard deviations.
    expect(Math.abs(mean(tasks) - 3000)).toBeLessThan(3 * Math.sqrt(3000 / 5));
  });
});

describe('the same seed', () => {
  const busy = system(
    { replicas: 2, workers: 4, pool: 3, poolQueue: 2, service: { median: '30ms', p99: '200ms' }, writes: ['look'] },
    {
      perSecond: 150,
      concurrency: 50,
      timeout: '200ms',
      taskDeadline: '2s',
      retry: { max: 'unbounded', jitter: 0.5 },
      limiter: { perSecond: 200 },
    },
    {
      lasts: '20s',
      timeline: [{ at: '5s', until: '10s', set: 'servers.shop.pool', to: 1 }],
      plan: {
        rules: [
          { id: 'drift', fault: 'schema-drift', probability: 0.1 },
          { id: 'gone', fault: 'session-lost', probability: 0.001 },
        ],
      },
    },
  );
  const journalOf = (seed: number, slice = Infinity): string => {
    let text = '';
    const plane = planeOf(busy, seed, (entry) => (text += journalLine(entry)));
    while (plane.run(slice) === undefined);
    return text;
  };

  test('makes the same journal, byte for byte, also in slices', { timeout: 30_000 }, () => {
    const whole = journalOf(7);
    expect(whole.split('\n').length).toBeGreaterThan(100);
    expect(journalOf(7, 13)).toBe(whole);
    expect(journalOf(8)).not.toBe(whole);
  });
});

describe('servers', () => {
  test('turn calls away when their queue is full', () => {
    const { tally, figures } = run(
      system({ workers: 1, queue: 2, service: '100ms' }, { perSecond: 50, concurrency: 1000 }, { lasts: '60s' }),
    );
    expect(figures['poolExhausted']).toBe(0);
    // One worker does ten a second; the rest of fifty is turned away.
    expect(Math.abs(failedShare({ tally } as Summary) - 0.8)).toBeLessThan(0.03);
  });

  test('fail calls that get no connection in time, and mark it', () => {
    const marks: string[] = [];
    const source = system(
      { workers: 100, pool: 2, poolWait: '50ms', service: '100ms' },
      { perSecond: 60, concurrency: 1000 },
      { lasts: '60s' },
    );
    const summary = run(source, 1, (entry) => void (entry.kind === 'mark' && marks.push(`${entry.mark} ${entry.where}`)));
    expect(marks[0]).toBe('pool-exhausted shop');
    expect(summary.tally.executed / summary.tally.tasks).toBeCloseTo(1 / 3, 1);
    expect(summary.figures['poolExhausted']).toBe(summary.tally.failedTasks);
  });

  test('lose what they were doing in a crash, and are back afterwards', () => {
    const timeline = [{ at: '10s', until: '15s', set: 'servers.shop.isUp', to: false }];
    const windows: (JournalEntry & { kind: 'window' })[] = [];
    const source = system({ workers: 100, service: '200ms' }, { perSecond: 40, concurrency: 1000 }, { lasts: '30s', timeline });
    const summary = run(source, 1, (entry) => void (entry.kind === 'window' && windows.push(entry)));
    const share = (from: number, to: number): number => {
      const some = windows.slice(from, to);
      return mean(some.map(({ failedTasks }) => failedTasks)) / mean(some.map(({ tasks }) => tasks));
    };
    expect([share(0, 9), share(11, 14), share(17, 29)]).toEqual([0, 1, 0]);
    expect(summary.figures).toMatchObject({ stayedDown: 0 });
    expect(windows[10]!.failedTasks).toBeGreaterThan(40);
  });

  test('with replicas, one that crashes is left out', () => {
    const timeline = [{ at: '5s', until: '50s', set: 'servers.shop.isUp', to: false, replicas: 1 }];
    const summary = run(system({ replicas: 2, workers: 100 }, { perSecond: 50, concurrency: 100 }, { lasts: '60s', timeline }));
    expect(summary.tally.failedTasks).toBeLessThan(5);
  });

  test('need time to wake up when they were idle', () => {
    const cold = system({ coldStart: { afterIdle: '1s', takes: '400ms' } }, { tasks: 3 });
    const sketch = sketchFromJSON(run(cold).latency['look']);
    expect([sketch.max, sketch.min]).toEqual([421, 21]);
  });

  test('refuse what comes faster than their rate limit', () => {
    const summary = run(system({ rateLimit: { perSecond: 20, burst: 5 } }, { perSecond: 100, concurrency: 1000 }, { lasts: '60s' }));
    expect(summary.tally.executed).toBeGreaterThan(1190);
    expect(summary.tally.executed).toBeLessThan(1215);
  });

  test('wait for the servers that they call themselves, and fail with them', () => {
    const source = system({ service: '10ms', calls: ['store', 'bank'] }, { tasks: 50 });
    const servers = source['servers'] as JsonObject;
    servers['store'] = { tools: ['count'], service: '30ms' };
    servers['bank'] = { tools: ['pay'], service: '40ms' };
    const summary = run(source);
    expect(sketchFromJSON(summary.latency['look']).max).toBe(81);
    expect(summary.tally.executed).toBe(150);
    servers['bank'] = { tools: ['pay'], isUp: false };
    expect(failedShare(run(source))).toBe(1);
  });

  test('drop queued work that nobody waits for, where they honour cancellation, and recover sooner', () => {
    const source = (honoursCancel: boolean): JsonObject =>
      system(
        { workers: 10, service: '100ms', honoursCancel },
        { perSecond: 80, concurrency: 10_000, timeout: '1s' },
        {
          lasts: '3m',
          timeline: [{ at: '20s', until: '40s', set: 'servers.shop.slowdown', to: 20 }],
        },
      );
    const [deaf, hearing] = [run(source(false)), run(source(true))];
    expect(hearing.figures['recoverMs']).toBeLessThan(10_000);
    expect(deaf.figures['recoverMs']).toBeGreaterThan(2 * hearing.figures['recoverMs']!);
  });
});

describe('an operation that is retried although it was done', () => {
  const source = (isIdempotent: boolean): JsonObject =>
    system(
      { writes: ['look'], isIdempotent },
      { tasks: 500, timeout: '100ms', retry: { max: 3, backoff: '10ms' } },
      { plan: { rules: [{ id: 'lost', fault: 'lost-ack', probability: 0.2 }] } },
    );
  test('is done twice', () => {
    const { figures, tally } = run(source(false));
    expect(figures['doubleEffects']).toBeGreaterThan(80);
    expect(figures['doubleEffects']).toBe(tally.executed - 500);
  });
  test('is done once, where operations are idempotent', () => {
    const { figures, tally } = run(source(true));
    expect([figures['doubleEffects'], tally.executed]).toEqual([0, 500]);
  });
});

describe('agents', () => {
  test('make parallel steps at the same time', () => {
    const times = [false, true].map((isParallel) => sketchFromJSON(run(system({}, { fanout: 5, isParallel })).taskLatency).max);
    expect(times).toEqual([105, 21]);
  });

  test('take steps one by one, and those of one list together', () => {
    const source = system({ tools: ['a', 'b', 'c'], service: '10ms' }, { tools: undefined, steps: ['a', ['b', 'c'], 'a'], tasks: 1 });
    delete (source['agents'] as { visitor: JsonObject }).visitor['tools'];
    const summary = run(source);
    expect(sketchFromJSON(summary.taskLatency).max).toBe(33);
    expect(summary.tally.calls.seen).toBe(4);
  });

  test('retry in layers: agent times client library', () => {
    const plan = { rules: [{ id: 'down', fault: 'error-response' }] };
    const { tally } = run(system({}, { tasks: 10, clientRetries: 2, retry: { max: 2, backoff: '1ms' } }, { plan }));
    expect(measuresOf(tally).retryAmplification).toBe(9);
  });

  test('keep to a retry budget over all traffic', () => {
    const plan = { rules: [{ id: 'down', fault: 'error-response' }] };
    const { tally } = run(system({}, { tasks: 1000, retry: { max: 10, backoff: '1ms' }, retryShare: 0.1 }, { plan }));
    expect(tally.calls.seen).toBe(1000 + 10 + 100);
  });

  test('turn tasks away when there is no place', () => {
    const { figures, tally } = run(system({ service: '1s' }, { perSecond: 20, concurrency: 5 }, { lasts: '60s' }));
    expect(figures['turnedAway']).toBe(tally.failedTasks);
    expect(Math.abs(tally.failedTasks / tally.tasks - 0.75)).toBeLessThan(0.03);
  });

  test('give a task up at its deadline, and everything that is under way with it', () => {
    const { tally, taskLatency } = run(
      system(
        { service: '300ms' },
        { tasks: 20, fanout: 4, taskDeadline: '1.3s', timeout: '5s' },
        {
          timeline: [{ at: '2s', set: 'servers.shop.slowdown', to: 10 }],
          lasts: '60s',
        },
      ),
    );
    expect(sketchFromJSON(taskLatency).max).toBe(1300);
    expect([tally.tasks, tally.failedTasks]).toEqual([20, 19]);
  });

  test('do without their spare steps', () => {
    const plan = { rules: [{ id: 'down', fault: 'error-response', when: { tool: 'extra' } }] };
    const { tally } = run(system({ tools: ['look', 'extra'] }, { tools: ['look', 'extra'], spareSteps: 1 }, { plan }));
    expect([tally.failedTasks, tally.degradedTasks]).toEqual([0, 200]);
  });

  test('call their fallback where a step failed', () => {
    const plan = { rules: [{ id: 'down', fault: 'error-response', when: { tool: 'look' } }] };
    const { tally } = run(system({ tools: ['look', 'peek'] }, { tools: ['look'], fallback: 'peek' }, { plan }));
    expect([tally.failedTasks, tally.degradedTasks, tally.executed]).toEqual([0, 200, 200]);
  });

  test('do not call a tool that is not listed, and ask again when their list is old', () => {
    const plan = { rules: [{ id: 'unlisted', fault: 'drop-tool', when: { tool: 'look' }, at: { first: 1 } }] };
    const source = system({}, { perSecond: 10, concurrency: 50 }, { lasts: '60s', registry: { refresh: '20s' }, plan });
    const { tally } = run(source);
    expect(Math.abs(tally.failedTasks / tally.tasks - 1 / 3)).toBeLessThan(0.05);
    expect(tally.calls.seen).toBeLessThan(tally.tasks);
  });

  test('open a session anew when it is lost', () => {
    const plan = { rules: [{ id: 'gone', fault: 'session-lost', at: { nth: [10] } }] };
    const { tally } = run(system({}, { tasks: 100, retry: { max: 2, backoff: '10ms' } }, { plan }));
    expect(tally.failedTasks).toBe(0);
    expect(tally.calls.seen).toBeGreaterThan(100);
  });

  test('are deceived by what they do not look at', () => {
    const plan = { rules: [{ id: 'drift', fault: 'schema-drift', probability: 0.3 }] };
    const [blind, careful] = [false, true].map((validates) => run(system({}, { tasks: 500, validates }, { plan })));
    expect(blind!.deceivedTasks).toBeGreaterThan(100);
    expect(failedShare(blind!)).toBe(0);
    expect(careful!.deceivedTasks).toBeLessThan(blind!.deceivedTasks / 2);
    expect(failedShare(careful!)).toBeGreaterThan(0.15);
  });

  test('stop calling a tool that keeps failing, and find out when it is well again', () => {
    const timeline = [{ at: '10s', until: '20s', set: 'servers.shop.isUp', to: false }];
    const agent = { perSecond: 50, concurrency: 100, breaker: { threshold: 0.9, minCalls: 10, probeInterval: 20 } };
    const { figures } = run(system({}, agent, { lasts: '60s', timeline }));
    expect(figures['refused']).toBeGreaterThan(100);
    expect(figures['openBreakers']).toBe(0);
  });

  test('keep a place for every server behind a bulkhead', () => {
    const { figures } = run(system({ service: '1s' }, { perSecond: 20, concurrency: 100, bulkhead: 3, deadline: '5s' }, { lasts: '30s' }));
    expect(figures['peakInFlight']).toBe(3);
  });
});

describe('a gateway', () => {
  const source = (headOfLine: boolean): JsonObject => ({
    lasts: '60s',
    gateway: { connections: 4, queue: 100_000, headOfLine },
    servers: { slow: { tools: ['report'], service: '2s' }, fast: { tools: ['look'], service: '5ms' } },
    agents: {
      analyst: { tools: ['report'], perSecond: 3, concurrency: 1000, deadline: '1h', timeout: '1h', taskDeadline: '10m' },
      visitor: { tools: ['look'], perSecond: 20, concurrency: 1000, deadline: '1h', timeout: '1h', taskDeadline: '10m' },
    },
  });
  test('with one queue lets a slow server block the others; with a share for each it does not', () => {
    const p50 = (summary: Summary): number => sketchFromJSON(summary.latency['look']).quantile(0.5)!;
    expect(p50(run(source(true)))).toBeGreaterThan(2000);
    expect(p50(run(source(false)))).toBeLessThan(10);
  });

  test('tries failed calls again itself', () => {
    const summary = run(system({ isUp: false }, { tasks: 10 }, { gateway: { connections: 5, retries: 2 } }));
    expect(failedShare(summary)).toBe(1);
    const flaky = system(
      {},
      { perSecond: 20, concurrency: 50, timeout: '10s' },
      {
        gateway: { connections: 500, retries: 5, retryAfter: '1s' },
        timeline: [{ at: '5s', until: '8s', set: 'servers.shop.isUp', to: false }],
        lasts: '20s',
      },
    );
    expect(failedShare(run(flaky))).toBe(0);
  });
});

describe('a registry that is out of date', () => {
  const source = (agent: JsonObject): JsonObject => ({
    lasts: '60s',
    registry: { refresh: '40s', moves: [{ tool: 'invoice', to: 'new', at: '10s' }] },
    servers: { old: { tools: ['invoice'] }, new: { tools: ['account'] } },
    agents: { clerk: { tools: ['invoice'], perSecond: 20, concurrency: 50, ...agent } },
  });
  test('sends calls to the old server, which answers as if nothing were wrong', () => {
    const summary = run(source({}));
    expect(failedShare(summary)).toBe(0);
    expect(Math.abs(summary.deceivedTasks / summary.tally.tasks - 0.5)).toBeLessThan(0.04);
    expect(summary.figures['misrouted']).toBe(summary.deceivedTasks);
  });
  test('is renewed by an agent that looks who answered', () => {
    const summary = run(source({ verifiesOrigin: true, retry: { max: 1 } }));
    expect([failedShare(summary), summary.deceivedTasks]).toEqual([0, 0]);
  });
});

describe('faults act as everywhere', () => {
  /** Where the size is not the point, a megabyte per call only takes time. */
  const SMALLER: Readonly<Record<string, { params: object } | undefined>> = { 'huge-result': { params: { bytes: 20_000 } } };

  test.each(
    Object.values(faults)
      .filter(({ eras }) => eras.includes('legacy'))
      .map((fault) => [fault.type]),
  )('%s: every task ends, and the run with it', (type) => {
    const source = system(
      { tools: ['look', 'buy'], items: 5, writes: ['buy'], replicas: 2 },
      { tools: ['look', 'buy'], tasks: 15, concurrency: 4, timeout: '3s', retry: { max: 2, backoff: '50ms' } },
      { plan: { rules: [{ id: 'shake', fault: type, probability: 0.5, ...SMALLER[type] }] }, registry: { refresh: '1s' } },
    );
    const first = run(source);
    expect(first.tally.tasks).toBe(15);
    expect(run(source)).toEqual(first);
  });
});

test('memory stays flat: what is kept does not grow with the tasks', () => {
  const size = (tasks: number): number =>
    JSON.stringify(run(system({ workers: 2, service: { exponential: '10ms' } }, { tasks, concurrency: 8 }))).length;
  expect(size(20_000)).toBeLessThan(1.3 * size(2000));
});
