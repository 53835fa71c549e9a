/** Systems that are badly built or badly treated: the run ends, and the figures are right. */
import { createCatalogue, sketchFromJSON, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { checkTopology } from './check-topology.js';
import { createPlane, type Summary } from './plane.js';
import { withSettings } from './settings.js';

const catalogue = createCatalogue(faults);
const problemsOf = (source: JsonObject): readonly string[] =>
  checkTopology(source, catalogue).problems.map(({ path, message }) => `${path.join('.')}: ${message}`);

function run(source: JsonObject, journal?: (entry: JournalEntry) => void): Summary {
  const { topology, problems } = checkTopology(source, catalogue);
  if (topology === undefined) throw new Error(JSON.stringify(problems));
  const summary = createPlane({ topology, seed: 1, journal }).run(3_000_000);
  if (summary === undefined) throw new Error('The run did not end.');
  return summary;
}

const system = (server: JsonObject = {}, agent: JsonObject = {}, rest: JsonObject = {}): JsonObject => ({
  servers: { shop: { tools: ['look'], ...server } },
  agents: { visitor: { tools: ['look'], ...('perSecond' in agent ? {} : { tasks: 1 }), ...agent } },
  ...rest,
});

describe('runs end', () => {
  test.each(['initialize', 'tools/list'])('also when %s is never answered', (method) => {
    const { tally } = run(system({}, { tasks: 5 }, { plan: { rules: [{ id: 'mute', fault: 'hang', when: { method } }] } }));
    expect(tally).toMatchObject({ tasks: 5, failedTasks: 0 });
  });

  test('a list that was asked for in vain is asked for again', () => {
    const plan = { rules: [{ id: 'mute', fault: 'hang', when: { method: 'tools/list' } }] };
    let asked = 0;
    const source = system({}, { perSecond: 1, timeout: '2s' }, { lasts: '60s', registry: { refresh: '10s' }, plan });
    run(source, (entry) => void (entry.kind === 'end' && (asked = entry.fired['mute'] ?? 0)));
    expect(asked).toBeGreaterThanOrEqual(4);
  });

  test('unbounded retries need time between them', () => {
    const agent = { perSecond: 1, retry: { max: 'unbounded', backoff: 0 }, limiter: { perSecond: 1 } };
    expect(problemsOf(system({}, agent, { lasts: '5s' })).join()).toContain('agents.visitor.retry.backoff');
    const capped = { perSecond: 1, retry: { max: 'unbounded', backoff: '1s', maxBackoff: 0 }, limiter: { perSecond: 1 } };
    expect(problemsOf(system({}, capped, { lasts: '5s' })).join()).toContain('agents.visitor.retry.maxBackoff');
  });

  test.each([{ tools: [] }, { tools: [], fanout: 5 }, { steps: [[]] }, { steps: ['look', []] }])(
    'an agent needs something to do: %j',
    (agent: JsonObject) => {
      const source = { ...system(), agents: { visitor: { tasks: 1, ...agent } } };
      expect(problemsOf(source).join()).toContain('without a tool');
    },
  );

  test('ten thousand steps that a breaker refuses', () => {
    const plan = { rules: [{ id: 'broken', fault: 'error-response' }] };
    const agent = { tasks: 2, tools: ['look'], fanout: 10_000, breaker: { threshold: 1, minCalls: 1 } };
    expect(run(system({}, agent, { plan })).tally).toMatchObject({ tasks: 2, wanted: 20_000 });
  });

  test('a long queue at a gateway whose server goes down', () => {
    const { tally } = run(
      system(
        { workers: 5, service: '10s' },
        { tasks: 20_000, concurrency: 20_000, deadline: '60s' },
        {
          gateway: { connections: 5, queue: 100_000 },
          timeline: [{ at: '1s', set: 'servers.shop.isUp', to: false }],
        },
      ),
    );
    expect(tally).toMatchObject({ tasks: 20_000, failedTasks: 20_000 });
  });
});

describe('hanging up', () => {
  const late = { perSecond: 5, concurrency: 1000, timeout: '1s', taskDeadline: '1s' };
  const slow = { workers: 1, service: '400ms', honoursCancel: true };
  const failed = (rest: JsonObject): number => run(system(slow, late, { lasts: '60s', ...rest })).tally.failedTasks;

  test('reaches the server through a gateway, too', () => {
    const direct = failed({});
    expect(failed({ gateway: { connections: 1000 } })).toBe(direct);
  });

  test('ends what the gateway would have tried again', () => {
    const { tally } = run({
      lasts: '2s',
      gateway: { connections: 10, retries: 1, retryAfter: '300ms' },
      servers: { shop: { tools: ['look'], isUp: false }, other: { tools: ['wait'], service: '900ms' } },
      agents: { visitor: { tools: ['look'], tasks: 1, timeout: '100ms' }, bystander: { tools: ['wait'], tasks: 1 } },
      timeline: [{ at: '200ms', set: 'servers.shop.isUp', to: true }],
    });
    expect(tally).toMatchObject({ tasks: 2, failedTasks: 1, executed: 1 });
  });
});

describe('changes', () => {
  /** Median latency of the window that ends at each second. */
  const mediansOf = (timeline: readonly JsonObject[], replicas = 1): readonly (number | undefined)[] => {
    const medians: (number | undefined)[] = [];
    const source = system({ service: '10ms', replicas, workers: 1000 }, { perSecond: 200, concurrency: 1000 }, { lasts: '6s', timeline });
    run(
      source,
      (entry) => void (entry.kind === 'window' && medians.push(entry.p50Ms === undefined ? undefined : Math.round(entry.p50Ms - 1))),
    );
    return medians.slice(0, 6).map((ms) => (ms === undefined ? undefined : Math.round(ms / 10)));
  };
  const slowdown = (at: string, until: string | undefined, to: number): JsonObject => ({
    at,
    ...(until === undefined ? {} : { until }),
    set: 'servers.shop.slowdown',
    to,
  });

  test('that follow each other do not end the next one', () => {
    expect(mediansOf([slowdown('1s', '2s', 5), slowdown('2s', '3s', 3)])).toEqual([1, 5, 3, 1, 1, 1]);
  });

  test('inside another one end where that one still holds', () => {
    expect(mediansOf([slowdown('1s', '5s', 5), slowdown('2s', '3s', 3)])).toEqual([1, 5, 3, 5, 5, 1]);
  });

  test('after one that stays end at its value', () => {
    expect(mediansOf([slowdown('1s', undefined, 5), slowdown('2s', '3s', 3)])).toEqual([1, 5, 3, 5, 5, 5]);
  });

  test('to some replicas leave the others what they have', () => {
    const source = system(
      { replicas: 2, workers: 1000, service: '10ms' },
      { perSecond: 400, concurrency: 1000 },
      {
        lasts: '4s',
        timeline: [slowdown('1s', undefined, 5), { ...slowdown('2s', '3s', 3), replicas: 1 }],
      },
    );
    const p50: number[] = [];
    const p99: number[] = [];
    run(source, (entry) => {
      if (entry.kind !== 'window') return;
      p50.push(Math.round((entry.p50Ms ?? 0) / 10));
      p99.push(Math.round((entry.p99Ms ?? 0) / 10));
    });
    expect([p99.slice(0, 4), p50[3]]).toEqual([[1, 5, 5, 5], 5]);
  });

  test('of the rate take effect at once', () => {
    const source = system(
      {},
      { perSecond: 0.001, concurrency: 1000 },
      {
        lasts: '20s',
        timeline: [{ at: '10s', set: 'agents.visitor.perSecond', to: 100 }],
      },
    );
    expect(Math.abs(run(source).tally.tasks - 1000)).toBeLessThan(120);
  });

  test('of the rate are for agents that have one', () => {
    const source = system({}, { tasks: 5 }, { lasts: '20s', timeline: [{ at: '1s', set: 'agents.visitor.perSecond', to: 100 }] });
    expect(problemsOf(source).join()).toContain('timeline.0.set');
  });
});

test('calls that nobody waits for take no place in the queue of a gateway', () => {
  const { latency } = run({
    lasts: '20s',
    gateway: { connections: 1, queue: 10 },
    servers: { shop: { tools: ['look'], service: '10ms' }, slow: { tools: ['wait'], service: '15s' } },
    agents: {
      patient: { tools: ['wait'], tasks: 1, timeout: '60s', deadline: '60s' },
      hasty: { tools: ['look'], perSecond: 2, concurrency: 100, timeout: '1s' },
    },
  });
  // While the patient one holds the only connection, two of the hasty wait at a time: none is turned away, all hang up.
  // A refusal would be back in a millisecond.
  expect(sketchFromJSON(latency['look']).quantile(0.01)).toBeGreaterThan(5);
});

test('a breaker hears of calls that end with their task', () => {
  const plan = { rules: [{ id: 'mute', fault: 'hang' }] };
  const { figures } = run(system({}, { tasks: 10, taskDeadline: '500ms', breaker: { minCalls: 2 } }, { plan }));
  expect(figures['openBreakers']).toBe(1);
});

test('no task begins after the end', () => {
  const { tally } = run(system({ service: '100ms' }, { tasks: 1000 }, { lasts: '5s' }));
  expect(tally.failedTasks).toBe(0);
  expect(Math.abs(tally.tasks - 50)).toBeLessThan(3);
});

test('an operation that was sent is an operation, also when its task is given up between two tries', () => {
  const plan = { rules: [{ id: 'broken', fault: 'error-response' }] };
  const agent = { tasks: 10, retry: { max: 'unbounded', backoff: '400ms', factor: 1 }, taskDeadline: '1s' };
  expect(run(system({}, agent, { plan })).tally).toMatchObject({ wanted: 10, operations: { seen: 10 }, faultedOperations: 10 });
});

test('a server that crashed does not do what it had asked others for', () => {
  const { tally } = run({
    lasts: '10s',
    servers: { front: { tools: ['look'], service: '10ms', calls: ['back'] }, back: { tools: ['deep'], service: '500ms' } },
    agents: { visitor: { tools: ['look'], tasks: 1 }, bystander: { tools: ['deep'], tasks: 3 } },
    timeline: [{ at: '200ms', set: 'servers.front.isUp', to: false }],
  });
  // The three of the bystander, and the inner call, which nobody could take back.
  expect(tally.executed).toBe(4);
});

test('words that every object has are no servers', () => {
  expect(problemsOf(system({ calls: ['constructor'] })).join()).toContain('There is no server "constructor"');
});

test('settings leave what they are made from alone', () => {
  const retry = { max: 2 };
  withSettings(system(), { 'agents.visitor.retry': retry, 'agents.visitor.retry.max': 5 });
  expect(retry).toEqual({ max: 2 });
});
