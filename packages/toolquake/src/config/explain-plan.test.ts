import { createCatalogue, requirePlan } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { explainPlan } from './explain-plan.js';

const catalogue = createCatalogue(faults);
const explain = (rule: object) => explainPlan(requirePlan({ rules: [rule] }, catalogue)).rules[0]!;

test.each<[object, string]>([
  [{ fault: 'latency', when: { tool: 'search_*' }, probability: 0.3 }, 'On calls of tools matching search_*, 30 % of the time'],
  [{ fault: 'latency' }, 'On tool calls, every time'],
  [
    { fault: 'latency', when: { tool: ['a', 'b'] }, at: { first: 1 } },
    'On calls of the tools a or b, only the first match (counted per session and tool)',
  ],
  [
    { fault: 'latency', at: { every: 3, after: '20s', until: 'recovered' } },
    'On tool calls, every 3rd match, after 20 s, until a call succeeds again (counted per session and tool)',
  ],
  [
    { fault: 'latency', when: { method: 'ping' }, at: { nth: [1, 3] }, probability: 0.5 },
    'On ping messages, only match 1 or 3, 50 % of the time (counted per session and tool)',
  ],
  [{ fault: 'connection-refused', when: { target: 'weather' } }, 'On new connections to the target weather, every time'],
  [{ fault: 'drop-tool', when: { tool: 'a' } }, 'On tools/list or tools/call messages about the tool a, every time'],
  [
    { fault: 'error-response', shape: { burst: { rate: 0.02, meanLength: 16 } } },
    'On tool calls, in bursts of 16 matches on average that take 2 % of all (per session and tool)',
  ],
  [
    { fault: 'error-response', probability: 0.5, shape: { episode: { rate: 0.08, meanLength: 20, scope: 'plan' } } },
    'On tool calls, in episodes of 20 tasks on average that take 8 % of all (over the whole plan), and in them 50 % of the time',
  ],
  [{ fault: 'latency', shape: { ramp: { from: 0, to: 0.5, over: 100 } } }, 'On tool calls, 0 % of the time at first, 50 % after match 100'],
  [
    { fault: 'latency', when: { args: { a: 1 }, session: 's', era: 'modern' }, probability: 0.0002 },
    'On tool calls with arguments that contain {"a":1} in sessions named s in the modern era, 0.02 % of the time',
  ],
])('%j hits: %s', (rule, text) => {
  const { hits, howOften } = explain(rule);
  expect(`${hits}, ${howOften}`).toBe(text);
});

test('says what the fault does with its parameters, and where it works', () => {
  expect(explain({ fault: 'latency', params: { addedMs: 4000, jitterMs: 1500 } }).does).toBe(
    'Delays a call by a fixed time plus uniform jitter (addedMs 4000 ms, jitterMs 1500 ms, after the server did its work).',
  );
  expect(explain({ fault: 'http-status' })).toMatchObject({
    worksOn: ['http', 'fetch', 'simulator'],
    doesNotWorkOn: { stdio: 'A pipe carries no HTTP.' },
  });
});

test('states the long-run share', () => {
  expect(explain({ fault: 'latency', probability: 0.3 }).expectedShare).toBe(0.3);
  expect(explain({ fault: 'latency', probability: 0.5, shape: { burst: { rate: 0.2, meanLength: 4 } } }).expectedShare).toBeCloseTo(
    0.1,
    10,
  );
  expect(explain({ fault: 'latency', shape: { ramp: { from: 0, to: 1, over: 5 } } }).expectedShare).toBeUndefined();
});

test('states limits and expectations', () => {
  const plan = requirePlan(
    {
      rules: [{ id: 'a', fault: 'latency' }],
      limits: { maxFaults: 1, maxMinutes: 10 },
      expect: { fired: ['a'], measures: { tcsr: { min: 0.9, max: 1 }, eta: { max: 1 } } },
    },
    catalogue,
  );
  expect(explainPlan(plan)).toMatchObject({
    limits: ['at most 1 fault in all', 'nothing after 10 minutes'],
    expectations: ['rule a fires', 'tcsr is at least 0.9 and at most 1', 'eta is at most 1'],
  });
});
