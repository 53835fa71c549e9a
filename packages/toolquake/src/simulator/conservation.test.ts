/** What holds for every simulated system, however strange: nothing is counted twice or never, and every run ends. */
import { createCatalogue, journalLine, keyedRandom, type JournalEntry, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { checkTopology } from './check-topology.js';
import { createPlane, type Summary } from './plane.js';

const catalogue = createCatalogue(faults);
/** Far more than any of these systems needs. */
const MAX_EVENTS = 2_000_000;

type Ran = { readonly summary: Summary; readonly entries: readonly JournalEntry[]; readonly text: string };

function ran(source: JsonObject, seed = 1, slice = MAX_EVENTS): Ran {
  const { topology, problems } = checkTopology(source, catalogue);
  if (topology === undefined) throw new Error(JSON.stringify(problems));
  const entries: JournalEntry[] = [];
  const plane = createPlane({ topology, seed, journal: (entry) => void entries.push(structuredClone(entry)) });
  for (let events = 0; events < MAX_EVENTS; events += slice) {
    const summary = plane.run(slice);
    if (summary !== undefined) return { summary, entries, text: entries.map(journalLine).join('') };
  }
  throw new Error('The run did not end.');
}

const sumOf = (entries: readonly JournalEntry[], key: 'tasks' | 'calls' | 'retries' | 'refused' | 'failedTasks'): number =>
  entries.reduce((sum, entry) => sum + (entry.kind === 'window' ? entry[key] : 0), 0);

const FAULTS: readonly JsonObject[] = [
  { id: 'lost', fault: 'hang', probability: 0.05 },
  { id: 'error', fault: 'error-response', probability: 0.1 },
  { id: 'cut', fault: 'connection-drop', probability: 0.05 },
  { id: 'crashed', fault: 'crash', probability: 0.01 },
  { id: 'late', fault: 'latency', probability: 0.2, params: { addedMs: 700 } },
  { id: 'twice', fault: 'double-execute', probability: 0.1 },
  { id: 'gone', fault: 'session-lost', probability: 0.05 },
];

/** A small system that nobody would build. The same number makes the same one. */
function anySystem(number: number): JsonObject {
  const stream = keyedRandom(number).stream('system', 'any');
  let draws = 0;
  const draw = (): number => stream.draw(++draws, 0);
  const oneOf = <Value>(...values: readonly Value[]): Value => values[Math.floor(draw() * values.length)]!;
  const maybe = (key: string, make: () => unknown): JsonObject => (draw() < 0.5 ? { [key]: make() } : {});
  const server = (tools: readonly string[], calls: readonly string[]): JsonObject => ({
    tools,
    replicas: oneOf(1, 2, 3),
    workers: oneOf(1, 3, 20),
    queue: oneOf(0, 2, 50),
    ...maybe('pool', () => oneOf(1, 2, 10)),
    poolQueue: oneOf(0, 1, 20),
    poolWait: oneOf('0s', '50ms', '1s'),
    service: oneOf<unknown>('0ms', '30ms', { exponential: '40ms' }, { median: '20ms', p99: '300ms' }),
    ...maybe('rateLimit', () => ({ perSecond: oneOf(2, 50) })),
    ...maybe('coldStart', () => ({ takes: '300ms', afterIdle: '200ms' })),
    writes: oneOf([], tools),
    isIdempotent: draw() < 0.5,
    honoursCancel: draw() < 0.5,
    calls,
  });
  const agent = (): JsonObject => ({
    ...(draw() < 0.5 ? { tasks: oneOf(1, 40) } : { perSecond: oneOf(5, 60) }),
    concurrency: oneOf(1, 4, 40),
    steps: oneOf<unknown>(['a'], ['a', ['b', 'a'], 'c'], [['a', 'b', 'c']]),
    spareSteps: oneOf(0, 1),
    deadline: oneOf('300ms', '1s'),
    timeout: oneOf('300ms', '2s'),
    ...maybe('taskDeadline', () => oneOf('400ms', '3s')),
    ...maybe('retry', () => ({ max: oneOf<unknown>(1, 3, 'unbounded'), backoff: oneOf('1ms', '100ms'), jitter: oneOf(0, 0.5) })),
    clientRetries: oneOf(0, 2),
    ...maybe('retryShare', () => oneOf(0.1, 1)),
    ...maybe('breaker', () => ({ minCalls: 2, ...maybe('probeInterval', () => 3) })),
    ...maybe('limiter', () => ({
      perSecond: oneOf(5, 100),
      mode: oneOf('reject', 'breaker'),
      openFor: '200ms',
      countsRefused: draw() < 0.5,
    })),
    ...maybe('bulkhead', () => oneOf(1, 5)),
    deadlineRouting: draw() < 0.3,
    ...maybe('fallback', () => oneOf('a', 'c')),
    validates: draw() < 0.5,
    verifiesOrigin: draw() < 0.5,
  });
  return {
    lasts: '5s',
    window: oneOf('100ms', '1s', '1m'),
    servers: { one: server(['a'], oneOf([], ['three'])), two: server(['b'], []), three: server(['c'], oneOf([], ['two'])) },
    agents: { first: agent(), ...(draw() < 0.5 ? { second: agent() } : {}) },
    ...maybe('gateway', () => ({
      connections: oneOf(1, 5, 50),
      queue: oneOf(0, 3, 100),
      headOfLine: draw() < 0.5,
      retries: oneOf(0, 2),
      retryAfter: oneOf('0s', '50ms'),
    })),
    ...maybe('registry', () => ({ refresh: oneOf('0s', '1s'), moves: [{ tool: 'a', to: 'two', at: '2s' }] })),
    timeline: [
      { at: '1s', until: '2s', set: 'servers.one.pool', to: 1 },
      { at: '1500ms', until: '3s', set: 'servers.one.isUp', to: false, replicas: 1 },
      { at: '2s', set: 'servers.three.workers', to: 1 },
      { at: '2500ms', until: '3500ms', set: 'servers.two.slowdown', to: 20 },
    ].filter(() => draw() < 0.5),
    plan: { rules: FAULTS.filter(() => draw() < 0.3) },
  };
}

describe('any system', () => {
  test.each(Array.from({ length: 150 }, (_, index) => index))('number %i counts everything once, ends, and is the same again', (number) => {
    const source = anySystem(number);
    const { summary, entries, text } = ran(source, number);
    const { tally, figures } = summary;
    expect(sumOf(entries, 'tasks')).toBe(tally.tasks);
    expect(sumOf(entries, 'failedTasks')).toBe(tally.failedTasks);
    expect(sumOf(entries, 'calls')).toBe(tally.calls.seen);
    expect(sumOf(entries, 'retries')).toBe(figures['retries']);
    expect(sumOf(entries, 'refused')).toBe(figures['refused']);
    expect(tally.operations.seen).toBeLessThanOrEqual(tally.wanted);
    // Every operation that is counted sent something, and everything sent belongs to one that is counted.
    expect(tally.calls.seen).toBeGreaterThanOrEqual(tally.operations.seen);
    if (tally.calls.seen > 0) expect(tally.operations.seen).toBeGreaterThan(0);
    expect(entries.filter(({ kind }) => kind === 'window').at(-1)).toMatchObject({ inFlight: 0 });
    expect(entries.every(({ atMs }) => atMs <= summary.atMs)).toBe(true);
    expect(ran(source, number, 17).text).toBe(text);
  });
});
