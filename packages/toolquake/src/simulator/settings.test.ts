import { expect, test } from 'vitest';
import { findPath, withSettings } from './settings.js';

const topology = {
  servers: { shop: { tools: ['buy'], pool: 10 } },
  agents: { visitor: { tasks: 5, tools: ['buy'] } },
  timeline: [{ at: '1s', set: 'servers.shop.pool', to: 5 }],
  plan: { rules: [{ id: 'flaky', fault: 'error-response', probability: 0.1, params: { code: -32000 } }] },
};

test.each([
  ['servers.shop.pool', ['servers', 'shop', 'pool']],
  ['agents.visitor.retry.max', ['agents', 'visitor', 'retry', 'max']],
  ['timeline.0.to', ['timeline', 0, 'to']],
  ['plan.rules.flaky.probability', ['plan', 'rules', 0, 'probability']],
  ['plan.rules.flaky.params.code', ['plan', 'rules', 0, 'params', 'code']],
])('finds %s', (path, steps) => expect(findPath(topology, path)).toEqual({ steps }));

test.each([
  ['server.shop.pool', 'servers.shop.pool'],
  ['servers.shpo.pool', 'servers.shop.pool'],
  ['servers.shop.pol', 'servers.shop.pool'],
  ['pool', 'servers.shop.pool'],
  ['agents.visitor.fan-out', 'agents.visitor.fanout'],
  ['plan.rules.flakey.probability', 'plan.rules.flaky.probability'],
])('says what %s may have meant', (path, meant) => expect(findPath(topology, path)).toEqual({ advice: `Did you mean "${meant}"?` }));

test('sets values in a copy, makes groups that are not there, and takes values out with nothing', () => {
  const changed = withSettings(topology, {
    'servers.shop.pool': 3,
    'agents.visitor.retry.max': 2,
    'plan.rules.flaky.probability': 0.5,
    timeline: null,
  });
  expect(changed).toEqual({
    servers: { shop: { tools: ['buy'], pool: 3 } },
    agents: { visitor: { tasks: 5, tools: ['buy'], retry: { max: 2 } } },
    plan: { rules: [{ id: 'flaky', fault: 'error-response', probability: 0.5, params: { code: -32000 } }] },
  });
  expect(topology.servers.shop.pool).toBe(10);
});
