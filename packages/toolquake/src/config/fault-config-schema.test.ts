/** The published schemas of fault configs, as a validator that is not ours reads them. */
import { readFileSync } from 'node:fs';
import { bothCases, CONFIG_TYPES, nativeFields, parseFaultConfig } from '@toolquake/sdk/controller';
import { ToolquakeError } from '@toolquake/sdk/core';
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';

const FILES = ['fault-config.schema.json', 'inject-request.schema.json', 'scenario.schema.json'];

/** Says whether a value is valid by one of the files, which refer to each other. */
function compileSchemas(file: string): (value: unknown) => boolean {
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, strictRequired: false, strictTypes: false });
  for (const name of FILES) {
    const path = new URL(`../../../sdk/schemas/${name}`, import.meta.url);
    ajv.addSchema(JSON.parse(readFileSync(path, 'utf8')) as object, name);
  }
  const validate = ajv.getSchema(file);
  if (validate === undefined) throw new Error(`There is no ${file}.`);
  return (value) => validate(value) === true;
}

const value = fc.oneof(
  fc.integer({ min: -5, max: 700 }),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.boolean(),
  fc.constantFrom(null, '', 'text', 503, 0.5, 1e9),
  fc.array(fc.constantFrom('a', '', 5), { maxLength: 2 }),
);
const fields = [
  'delayMs',
  'delay_ms',
  'statusCode',
  'status_code',
  'hangMs',
  'hang_ms',
  'corruptResponse',
  'corrupt_response',
  'afterMs',
  'after_ms',
  'retryAfterSeconds',
  'retry_after_seconds',
  'missingFields',
  'missing_fields',
  'message',
];
const config = fc.constantFrom(...CONFIG_TYPES, 'bogus').chain((type) => {
  const [own] = Object.entries(nativeFields({ type })).map(([field]) => bothCases([field]));
  const name = fc.constantFrom('probability', ...fields, ...Array.from({ length: 20 }, () => own ?? fields).flat());
  return fc.dictionary(name, value, { maxKeys: 3 }).map((given) => ({ type, ...given }));
});

test('the published schema takes what parsing takes, and nothing else', () => {
  const isValid = compileSchemas('fault-config.schema.json');
  fc.assert(
    fc.property(config, (given) => {
      let isParsed = true;
      try {
        parseFaultConfig(given);
      } catch (error) {
        expect(error).toBeInstanceOf(ToolquakeError);
        isParsed = false;
      }
      expect(isValid(given)).toBe(isParsed);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['inject-request.schema.json', { target: 'api', config: { type: 'latency', delay_ms: 5 }, duration_ms: 5 }, true],
  ['inject-request.schema.json', { target: '', config: { type: 'latency', delayMs: 5 } }, false],
  ['inject-request.schema.json', { target: 'api', config: { type: 'latency' } }, false],
  [
    'scenario.schema.json',
    { name: 'n', description: 'd', faults: [{ target: 'a', config: { type: 'malformed' } }], expected_behavior: 'e' },
    true,
  ],
  ['scenario.schema.json', { name: 'n', description: 'd', faults: [], expectedBehavior: 'e' }, false],
])('%s on %j: %s', (file, given, expected) => {
  expect(compileSchemas(file)(given)).toBe(expected);
});
