import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { ToolquakeError } from '../core/errors.js';
import { configSchemas } from './fixtures/config-schemas.js';
import { parseFaultConfig, ruleOfFaultConfig } from './parse-fault-config.js';
import { startPlan } from './start-plan.js';

test.each(Object.entries(configSchemas()))(
  '%s is what parsing goes by (update it with: npx vitest run this file -u)',
  async (file, schema) => {
    const path = fileURLToPath(new URL(`../../schemas/${file}`, import.meta.url));
    await expect(`${JSON.stringify(schema, null, 2)}\n`).toMatchFileSnapshot(path);
  },
);

test.each([
  [
    { type: 'latency', delay_ms: 2000 },
    { type: 'latency', delayMs: 2000 },
  ],
  [
    { type: 'latency', delayMs: 2000, probability: null },
    { type: 'latency', delayMs: 2000 },
  ],
  [
    { type: 'error', status_code: 503, message: null, probability: 0.5 },
    { type: 'error', statusCode: 503, probability: 0.5 },
  ],
  [{ type: 'malformed' }, { type: 'malformed', corruptResponse: true }],
  [{ type: 'schema-mismatch' }, { type: 'schema-mismatch', missingFields: [] }],
  [
    { type: 'schema-mismatch', missing_fields: ['a'] },
    { type: 'schema-mismatch', missingFields: ['a'] },
  ],
  [
    { type: 'connection-drop', after_ms: 5 },
    { type: 'connection-drop', afterMs: 5 },
  ],
])('%j is understood', (given, config) => {
  expect(parseFaultConfig(given)).toEqual(config);
  expect(startPlan({ rules: [ruleOfFaultConfig(given, 'api')] }).plan.rules[0]?.when.target).toEqual(['api']);
});

test('hostile values are refused and reach nothing', () => {
  for (const given of [
    undefined,
    null,
    5,
    [],
    { type: '__proto__' },
    { type: 'constructor' },
    JSON.parse('{"type":"latency","__proto__":{"delayMs":5}}'),
  ])
    expect(() => parseFaultConfig(given)).toThrow(ToolquakeError);
});
