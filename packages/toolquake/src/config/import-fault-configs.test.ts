import { createCatalogue } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { CONFIG_TYPES } from '@toolquake/sdk/controller';
import { readPlanText } from './load-plan.js';

const catalogue = createCatalogue(faults);
const read = (value: unknown) => readPlanText(JSON.stringify(value, null, 2), { catalogue });
const rulesOf = (value: unknown): readonly object[] => {
  const { plan, problems, format } = read(value);
  expect({ problems, format }).toEqual({ problems: [], format: 'configs' });
  return (plan?.rules ?? []).map(({ fault, ...rule }) => ({ fault: fault.type, ...rule }));
};

const CONFIGS: readonly [camel: object, snake: object, rule: object][] = [
  [
    { type: 'latency', delayMs: 2000 },
    { type: 'latency', delay_ms: 2000 },
    { fault: 'latency', phase: 'pre', params: { addedMs: 2000 } },
  ],
  [
    { type: 'error', statusCode: 401, message: 'Token expired' },
    { type: 'error', status_code: 401, message: 'Token expired' },
    { fault: 'http-status', params: { status: 401, message: 'Token expired' } },
  ],
  [
    { type: 'timeout', hangMs: 10_000 },
    { type: 'timeout', hang_ms: 10_000 },
    { fault: 'connection-drop', phase: 'pre', params: { afterMs: 10_000 } },
  ],
  [
    { type: 'malformed', corruptResponse: true },
    { type: 'malformed', corrupt_response: true },
    { fault: 'malformed-body', isEnabled: true },
  ],
  [
    { type: 'connection-refused' },
    { type: 'connection-refused', probability: null },
    { fault: 'connection-refused', params: { forMs: 0 } },
  ],
  [
    { type: 'connection-drop', afterMs: 50 },
    { type: 'connection-drop', after_ms: 50 },
    { fault: 'connection-drop', params: { afterMs: 50 } },
  ],
  [
    { type: 'rate-limit', retryAfterSeconds: 60 },
    { type: 'rate-limit', retry_after_seconds: 60 },
    { fault: 'rate-limit', params: { retryAfterSeconds: 60 } },
  ],
  [
    { type: 'schema-mismatch', missingFields: ['a', 'b'] },
    { type: 'schema-mismatch', missing_fields: ['a', 'b'] },
    { fault: 'schema-drift', params: { op: 'drop', fields: ['a', 'b'] } },
  ],
];

describe.each(CONFIGS)('%j', (camel, snake, rule) => {
  test('loads in both spellings, alone, in a list, with a target and in a scenario', () => {
    for (const config of [camel, snake]) {
      expect(rulesOf(config)).toMatchObject([rule]);
      expect(rulesOf([config])).toMatchObject([rule]);
      expect(rulesOf({ target: 'weather-api', config, durationMs: 30_000 })).toMatchObject([
        { ...rule, when: { target: ['weather-api'] }, at: { until: { ms: 30_000 } } },
      ]);
      expect(rulesOf([{ target: 'weather-api', config, duration_ms: 30_000 }])).toMatchObject([{ ...rule, at: { until: { ms: 30_000 } } }]);
      expect(
        rulesOf({ name: 'n', description: 'd', faults: [{ target: 'redis', config }], expected_behavior: 'e', assertions: ['a'] }),
      ).toMatchObject([rule]);
      expect(rulesOf({ ...config, probability: 0.5 })).toMatchObject([{ ...rule, probability: 0.5 }]);
    }
  });
});

test('all eight types are translated', () => {
  expect(CONFIGS.map(([{ type }]: readonly [{ type?: string }, ...unknown[]]) => type)).toEqual(CONFIG_TYPES);
});

test('on one target the first fault wins until it expires', () => {
  const on = (target: string, delayMs: number, durationMs?: number): object => ({
    target,
    config: { type: 'latency', delayMs },
    ...(durationMs === undefined ? {} : { durationMs }),
  });
  const value = { faults: [on('a', 1, 1000), on('a', 2, 3000), on('b', 3), on('b', 4), on('a', 5)] };
  expect(rulesOf(value)).toMatchObject([
    { at: { until: { ms: 1000 } }, isEnabled: true },
    { at: { after: { ms: 1000 }, until: { ms: 3000 } }, isEnabled: true },
    { at: {}, isEnabled: true },
    { isEnabled: false },
    { at: { after: { ms: 3000 } }, isEnabled: true },
  ]);
  expect(read(value).notes).toEqual(['Fault 4 (latency) does nothing: an earlier fault on "b" lasts longer, and the first one wins.']);
});

test('a config that is switched off stays, and is told', () => {
  expect(rulesOf([{ type: 'malformed', corruptResponse: false }])).toMatchObject([{ isEnabled: false }]);
  expect(read({ type: 'latency', delayMs: 5, probability: 0 }).notes).toEqual([
    'The fault (latency) does nothing: it is switched off in its config.',
  ]);
});

test('a fault that lasts no time does nothing, and whoever comes after it does', () => {
  const on = (durationMs?: number): object => ({ target: 'a', config: { type: 'latency', delayMs: 1 }, durationMs });
  expect(rulesOf([on(0), on()])).toMatchObject([{ isEnabled: false }, { isEnabled: true, at: {} }]);
  expect(read([on(0), on()]).notes).toEqual(['Fault 1 (latency) does nothing: it lasts 0 ms.']);
  expect(rulesOf([on(0.000_000_1), on(0.123_456_789)])).toMatchObject([{ isEnabled: false }, { at: { until: { ms: 0.123457 } } }]);
});

test.each<[unknown, string, string]>([
  [[{ type: 'error', status_code: 200 }], 'status_code', '[0].status_code must be a whole number from 400 to 599, not 200.'],
  [
    { faults: [{ target: 'a', config: { type: 'latency', delayMs: 1e12 } }] },
    'delayMs',
    'faults[0].config.delayMs must be a number from 0 to 86400000 ms, not 1000000000000.',
  ],
  [{ type: 'timeout', hangMs: 1e12 }, 'hangMs', 'hangMs must be a number from 0 to 86400000 ms, not 1000000000000.'],
  [{ type: 'connection-drop', afterMs: 1e12 }, 'afterMs', 'afterMs must be a number from 0 to 86400000 ms, not 1000000000000.'],
  [
    { type: 'rate-limit', retryAfterSeconds: 1.5 },
    'retryAfterSeconds',
    'retryAfterSeconds must be a whole number from 0 to 86400, not 1.5.',
  ],
  [
    { target: 'a', config: { type: 'latency', delayMs: 1 }, durationMs: 1e21 },
    'durationMs',
    'durationMs must be a number from 0 to 999999999999 ms, not 1e+21.',
  ],
])('names the key that was written, and where: %j', (value, key, message) => {
  const source = JSON.stringify(value, null, 2).split('\n');
  const line = source.findIndex((text) => text.includes(`"${key}"`)) + 1;
  const column = source[line - 1]!.indexOf(': ') + 3;
  expect(read(value).problems).toMatchObject([{ code: 'OUT_OF_RANGE', message, line, column }]);
});

test.each<[unknown, string]>([
  [{ type: 'latncy' }, 'A fault config has the unknown type "latncy". Did you mean "latency"?'],
  [{ type: 'latency' }, 'A fault config of type "latency" needs "delayMs".'],
  [{ type: 'latency', delay: 5, delayMs: 1 }, 'the plan has the unknown key "delay". Did you mean "delayMs"?'],
  [{ type: 'latency', delayMs: -5 }, 'delayMs must be a number from 0 to 86400000 ms, not -5. The nearest allowed value is 0.'],
  [{ type: 'latency', delayMs: 5, probability: 2 }, 'probability must be a number from 0 to 1, not 2. The nearest allowed value is 1.'],
  [{ type: 'error', statusCode: 200 }, 'statusCode must be a whole number from 400 to 599, not 200. The nearest allowed value is 400.'],
  [{ target: 'a' }, 'A fault with a target needs "config". For example: config: { type: latency, delayMs: 2000 }'],
  [{ target: 'a', config: 5 }, 'A fault config must be a mapping, not 5.'],
  [
    [{ target: 'a', config: { type: 'latency', delayMs: 5 }, durationms: 5 }],
    '[0] has the unknown key "durationms". Did you mean "durationMs"?',
  ],
])('refuses %j', (value, problem) => {
  expect(read(value).problems.map(({ message, advice }) => (advice === undefined ? message : `${message} ${advice}`))).toEqual([problem]);
});
