import { createCatalogue } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { FLAT_TYPES } from './import-flat-plan.js';
import { readPlanText } from './load-plan.js';

const catalogue = createCatalogue(faults);
const read = (source: string) => readPlanText(source, { catalogue });

/** A rule as plain data. */
const rulesOf = (source: string): readonly object[] => {
  const { plan, problems } = read(source);
  expect(problems).toEqual([]);
  return (plan?.rules ?? []).map(({ fault, ...rule }) => ({ fault: fault.type, ...rule }));
};

// As printed in the document that the format comes from.
const PUBLISHED = `
# fault-plan.yaml — inject tool-call-plane failures, reproducibly
seed: 42
faults:
  - type: latency                 # push slow tools toward the step deadline
    added_ms: 4000
    jitter_ms: 1500
    probability: 0.3
  - type: schema_drift            # return a shape the agent didn't expect
    tools: ["get_incident"]
    probability: 0.2
  - type: partial_result          # a truncated result the agent treats as complete
    tools: ["fetch_logs"]
    probability: 0.5
  - type: registry_inconsistency  # advertised tool that errors on call
    tools: ["restart_service"]
  - type: error_injection         # the demo's 2% per-call failure
    rate: 0.02
`;

test('the published plan loads unchanged', () => {
  const { plan, format, notes } = read(PUBLISHED);
  expect({ format, notes, seed: plan?.seed }).toEqual({ format: 'flat', notes: [], seed: 42 });
  expect(rulesOf(PUBLISHED)).toMatchObject([
    { id: 'latency-1', fault: 'latency', params: { addedMs: 4000, jitterMs: 1500 }, probability: 0.3, when: {} },
    { fault: 'schema-drift', when: { tool: ['get_incident'] }, probability: 0.2 },
    { fault: 'partial-result', when: { tool: ['fetch_logs'] }, probability: 0.5 },
    { fault: 'registry-inconsistency', when: { tool: ['restart_service'] }, probability: 1 },
    { fault: 'error-response', when: {}, probability: 0.02, params: { code: -32000, message: 'Internal error' } },
  ]);
});

test('every type has the defaults of the original', () => {
  const source = JSON.stringify({ faults: FLAT_TYPES.map((type) => ({ type })) });
  expect(rulesOf(source)).toMatchObject([
    { fault: 'latency', params: { addedMs: 250, jitterMs: 0 }, probability: 1, isEnabled: true },
    { fault: 'drop-tool', isEnabled: false },
    { fault: 'schema-drift', probability: 1, isEnabled: true },
    { fault: 'partial-result', probability: 1, isEnabled: true },
    { fault: 'registry-inconsistency', isEnabled: false },
    { fault: 'error-response', probability: 0.02, isEnabled: true },
    { fault: 'error-response', shape: { kind: 'burst', rate: 0.02, meanLength: 8, scope: 'plan' }, isEnabled: true },
    { fault: 'error-response', shape: { kind: 'episode', rate: 0.08, meanLength: 20, scope: 'plan' }, isEnabled: false },
  ]);
  expect(read(source).notes).toHaveLength(3);
});

test('an empty list of tools means all for some types, none for others, and a rate of 0 means never', () => {
  const { notes } = read('faults: [{ type: drop_tool, tools: [] }, { type: error_injection, tools: [], rate: 0 }]');
  expect(notes).toEqual([
    'faults[0] (drop_tool) does nothing: it names no tools, which means none.',
    'faults[1] (error_injection) does nothing: its rate is 0.',
  ]);
  expect(rulesOf('faults: [{ type: burst_error, tools: [] }]')).toMatchObject([{ when: {}, isEnabled: true }]);
  expect(rulesOf('faults: [{ type: server_degradation, tools: [a] }]')).toMatchObject([{ when: { tool: ['a'] }, isEnabled: true }]);
});

test('nothing that an agent sees names the experiment', () => {
  const source = JSON.stringify({ faults: FLAT_TYPES.map((type) => ({ type, ...(type === 'latency' ? {} : { tools: ['a'] }) })) });
  expect(JSON.stringify(rulesOf(source).map((rule) => ('params' in rule ? rule.params : undefined)))).not.toMatch(/inject|chaos/i);
});

test.each([
  ['faults:\n  - type: latncy\n', '2:11 UNKNOWN_FAULT faults[0] has the unknown type "latncy". Did you mean "latency"?'],
  ['faults:\n  - type: latency\n    addedMs: 5\n', '3:5 UNKNOWN_KEY faults[0] has the unknown key "addedMs". Did you mean "added_ms"?'],
  [
    'faults:\n  - type: latency\n    tools: [a]\n',
    '3:5 UNKNOWN_KEY faults[0] has the unknown key "tools". Allowed: type, added_ms, jitter_ms, probability.',
  ],
  [
    'faults:\n  - type: latency\n    added_ms: -1\n',
    '3:15 OUT_OF_RANGE faults[0].added_ms must be a number of at least 0, not -1. The nearest allowed value is 0.',
  ],
  [
    'faults:\n  - type: error_injection\n    rate: 2\n',
    '3:11 OUT_OF_RANGE faults[0].rate must be a number from 0 to 1, not 2. The nearest allowed value is 1.',
  ],
  [
    'faults:\n  - added_ms: 1\n',
    '2:5 MISSING_KEY faults[0] needs "type". Allowed: latency, drop_tool, schema_drift, partial_result, registry_inconsistency, error_injection, burst_error, server_degradation.',
  ],
  ['faults: 5\n', '1:9 WRONG_TYPE faults must be a list, not 5. undefined'],
  ['sed: 1\nfaults: []\n', '1:1 UNKNOWN_KEY the plan has the unknown key "sed". Did you mean "seed"?'],
])('refuses %j', (source, problem) => {
  expect(read(source).problems.map(({ line, column, code, message, advice }) => `${line}:${column} ${code} ${message} ${advice}`)).toEqual([
    problem,
  ]);
});

test('a value that its own check refuses is shown where it was written, by its own name', () => {
  const { problems } = read('seed: 1\nfaults:\n  - type: latency\n    added_ms: 99999999999\n');
  expect(problems).toMatchObject([
    { line: 4, column: 15, message: 'faults[0].added_ms must be a number from 0 to 86400000 ms, not 99999999999.' },
  ]);
});

test('a rate that no burst reaches goes as high as it can, and is told', () => {
  const source = 'faults: [{ type: burst_error, rate: 1, burst_len: 3 }, { type: server_degradation, tools: [a], episode_rate: 0.5 }]';
  expect(rulesOf(source)).toMatchObject([{ shape: { rate: 0.75, meanLength: 3 } }, { shape: { rate: 0.5 } }]);
  expect(read(source).notes).toEqual(['faults[0] (burst_error) cannot reach its rate of 1: with a burst_len of 3 it is at most 0.750.']);
});
