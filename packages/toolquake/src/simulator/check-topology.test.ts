import { createCatalogue, type JsonObject } from '@toolquake/sdk/core';
import { errorResponse } from '@toolquake/sdk/faults';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkTopology } from './check-topology.js';

const catalogue = createCatalogue([errorResponse]);

const small = (): JsonObject => ({
  servers: { shop: { tools: ['buy', 'look'], pool: 10 }, store: { tools: ['count'] } },
  agents: { visitor: { tasks: 5, tools: ['look', 'buy'] } },
});

/** The small topology with values put at dotted places; `undefined` takes one out. */
function changed(values: Readonly<Record<string, unknown>>): JsonObject {
  const copy = small();
  for (const [path, value] of Object.entries(values)) {
    const steps = path.split('.');
    const last = steps.pop()!;
    let place = copy;
    for (const step of steps) place = (place[step] ??= {}) as JsonObject;
    place[last] = value;
  }
  return copy;
}

const problemsOf = (value: unknown): readonly string[] =>
  checkTopology(value, catalogue).problems.map(({ path, message, advice }) => [path.join('.'), message, advice ?? ''].join(' | '));

test('fills in what a topology leaves out', () => {
  const { topology, problems } = checkTopology(small(), catalogue);
  expect(problems).toEqual([]);
  expect(topology?.servers['shop']).toMatchObject({
    replicas: 1,
    workers: 64,
    pool: 10,
    poolWait: 2000,
    service: { kind: 'fixed', ms: 20 },
  });
  expect(topology?.agents['visitor']).toMatchObject({ concurrency: 1, deadline: 1000, retry: undefined, validates: true });
});

test.each([
  ['20ms', { kind: 'fixed', ms: 20 }],
  [15, { kind: 'fixed', ms: 15 }],
  [{ fixed: '1s' }, { kind: 'fixed', ms: 1000 }],
  [{ uniform: ['10ms', '30ms'] }, { kind: 'uniform', fromMs: 10, toMs: 30 }],
  [{ exponential: '50ms' }, { kind: 'exponential', meanMs: 50 }],
  [
    { median: '80ms', p99: '300ms' },
    { kind: 'lognormal', medianMs: 80, p99Ms: 300 },
  ],
])('reads the service time %j', (given, expected) => {
  expect(checkTopology(changed({ 'servers.shop.service': given }), catalogue).topology?.servers['shop']?.service).toEqual(expected);
});

test('retries may be unbounded, and nothing else may', () => {
  const topology = changed({ 'agents.visitor.retry': { max: 'unbounded' }, 'agents.visitor.taskDeadline': '5s' });
  expect(checkTopology(topology, catalogue).topology?.agents['visitor']?.retry?.max).toBe(Infinity);
  expect(problemsOf(changed({ 'servers.shop.workers': 'unbounded' }))[0]).toContain('must be a whole number');
});

describe('bad input names the place, what is wrong and the nearest good word', () => {
  test.each<[string, Readonly<Record<string, unknown>>, string]>([
    [
      'an unknown key',
      { 'servers.shop.replica': 3 },
      'servers.shop.replica | servers.shop has the unknown key "replica". | Did you mean "replicas"?',
    ],
    [
      'no capacity',
      { 'servers.shop.pool': 0 },
      'servers.shop.pool | servers.shop.pool must be a whole number from 1 to 1000000, not 0. | The nearest allowed value is 1.',
    ],
    ['no workers', { 'servers.shop.workers': 0 }, 'servers.shop.workers | servers.shop.workers must be a whole number from 1'],
    [
      'an unknown tool',
      { 'agents.visitor.tools': ['lok'] },
      'agents.visitor.tools.0 | No server offers the tool "lok". | Did you mean "look"?',
    ],
    ['an unknown server', { 'servers.shop.calls': ['stor'] }, 'servers.shop.calls.0 | There is no server "stor". | Did you mean "store"?'],
    [
      'a circle',
      { 'servers.shop.calls': ['store'], 'servers.store.calls': ['shop'] },
      'servers.shop.calls | The servers call each other in a circle: shop -> store -> shop.',
    ],
    ['a server that calls itself', { 'servers.shop.calls': ['shop'] }, 'shop -> shop'],
    [
      'an impossible deadline',
      { 'agents.visitor.deadline': '5ms' },
      'agents.visitor.deadline | No call of "look" can be back within the deadline of 5 ms: its work takes 20 ms or more. | The nearest possible value is 20 ms.',
    ],
    [
      'an impossible timeout',
      { 'agents.visitor.timeout': '5ms' },
      'agents.visitor.timeout | No call of "look" can be back within the timeout',
    ],
    [
      'an impossible task deadline',
      { 'agents.visitor.taskDeadline': '30ms' },
      'agents.visitor.taskDeadline | No task can be done within the taskDeadline of 30 ms: its steps take 40 ms or more.',
    ],
    [
      'a task that may never end',
      { 'agents.visitor.retry': { max: 'unbounded' } },
      'agents.visitor.retry.max | Tasks of "visitor" may never end',
    ],
    [
      'arrivals without an end',
      { 'agents.visitor.tasks': undefined, 'agents.visitor.perSecond': 5 },
      'agents.visitor.perSecond | Tasks of "visitor" arrive for ever',
    ],
    [
      'tasks and arrivals',
      { 'agents.visitor.perSecond': 5, lasts: '5s' },
      'agents.visitor | The agent "visitor" needs "tasks" (so many in all) or "perSecond" (so many arrive), and not both.',
    ],
    [
      'neither tools nor steps',
      { 'agents.visitor.tools': undefined },
      'agents.visitor | The agent "visitor" needs "tools" (taken in turn) or "steps"',
    ],
    ['two owners of a tool', { 'servers.store.tools': ['buy'] }, 'servers.store.tools.0 | The tool "buy" is offered by "shop" already.'],
    [
      'a change of what cannot change',
      { timeline: [{ at: '1s', set: 'servers.shop.replicas', to: 2 }] },
      'timeline.0.set | "servers.shop.replicas" cannot change while the simulation runs.',
    ],
    ['a change of nobody', { timeline: [{ at: '1s', set: 'servers.shpo.pool', to: 2 }] }, 'Did you mean "servers.shop.pool"?'],
    [
      'a change to nothing',
      { timeline: [{ at: '1s', set: 'servers.shop.pool', to: 0 }] },
      'timeline.0.to | timeline[0].to must be a whole number from 1',
    ],
    [
      'more replicas than there are',
      { timeline: [{ at: '1s', set: 'servers.shop.pool', to: 2, replicas: 2 }] },
      'timeline.0.replicas | "shop" has 1 replicas, not 2.',
    ],
    [
      'a change after the end',
      { lasts: '1s', timeline: [{ at: '2s', set: 'servers.shop.pool', to: 2 }] },
      'timeline.0.at | At 2000 ms the simulation is over',
    ],
    ['a time that is none', { lasts: 'soon' }, 'lasts | lasts must be a time, not "soon". | Times look like'],
    [
      'a rule of an unknown fault',
      { plan: { rules: [{ id: 'a', fault: 'error-respons' }] } },
      'plan.rules.0.fault | plan: Rule "a" uses the unknown fault "error-respons". | Did you mean "error-response"?',
    ],
    [
      'a move to nobody',
      { registry: { moves: [{ tool: 'buy', to: 'stroe', at: '1s' }] } },
      'registry.moves.0.to | There is no server "stroe". | Did you mean "store"?',
    ],
    [
      'one level',
      { levels: { set: 'servers.shop.pool', values: [5], each: '1s' } },
      'levels.values | levels.values needs two values or more',
    ],
    ['no servers', { servers: {} }, 'servers | A topology needs "servers": at least one.'],
    ['a name that is none', { 'servers.a b': { tools: ['x'] } }, 'servers.a b | servers has the name "a b"'],
  ])('%s', (_, values, expected) => expect(problemsOf(changed(values)).join('\n')).toContain(expected));
});

test('whatever it is given, it answers with a topology or with problems', () => {
  const keys = fc.constantFrom('servers', 'agents', 'gateway', 'registry', 'timeline', 'levels', 'plan', 'lasts', 'seed', 'window', 'x');
  fc.assert(
    fc.property(fc.dictionary(keys, fc.anything({ maxDepth: 4 })), (given) => {
      const { topology, problems } = checkTopology({ ...small(), ...given }, catalogue);
      expect((topology === undefined) === problems.length > 0).toBe(true);
      for (const { message } of problems) expect(message).toMatch(/[.!?]$/);
    }),
  );
});
