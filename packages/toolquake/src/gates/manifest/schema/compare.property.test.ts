/** The promise of the whole comparison, with a JSON Schema validator as the judge: nothing that breaks goes untold. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '@toolquake/sdk/core';
import { SCHEMA_CHANGES } from '../findings/schema-changes.js';
import { compareSchemas } from './compare.js';
import { pair, value, widening } from './fixtures/arbitrary-schemas.js';

const RUNS = Number(process.env['MANIFEST_RUNS'] ?? 120);

// Making a validator costs more than all it is asked here.
const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, inlineRefs: false, meta: false, validateSchema: false });

/** Undefined for schemas that refer to themselves without end, which no validator can answer. */
function validator(schema: JsonObject): ((candidate: unknown) => boolean) | undefined {
  try {
    const check = ajv.compile(schema);
    ajv.removeSchema(schema);
    return (candidate) => {
      try {
        return check(candidate);
      } catch {
        return false;
      }
    };
  } catch {
    return undefined;
  }
}

describe('compareSchemas', () => {
  test('reports whatever makes the new schema reject a value that the old one accepted', () => {
    const seen = { judged: 0, broken: 0 };
    fc.assert(
      fc.property(pair, fc.array(value, { minLength: 20, maxLength: 20 }), ([before, after], values) => {
        const [accepted, accepts] = [validator(before), validator(after)];
        if (accepted === undefined || accepts === undefined) return;
        const changes = compareSchemas(before, after);
        for (const direction of ['input', 'output'] as const) {
          const isTold = changes.some(({ kind }) => ['breaking', 'may-break', 'undecidable'].includes(SCHEMA_CHANGES[kind][direction]));
          seen.judged++;
          const witness: unknown = values.find((one) =>
            direction === 'input' ? accepted(one) && !accepts(one) : accepts(one) && !accepted(one),
          );
          if (witness === undefined) continue;
          seen.broken++;
          if (!isTold)
            expect.fail(
              `${direction}: ${JSON.stringify(witness)} tells ${JSON.stringify(before)} from ${JSON.stringify(after)}: ${JSON.stringify(changes)}`,
            );
        }
      }),
      { numRuns: RUNS },
    );
    // The test would prove nothing if schemas never disagreed.
    expect(seen.broken).toBeGreaterThan(seen.judged / 50);
  });

  test('calls nothing breaking that only lets more arguments pass', () => {
    fc.assert(
      fc.property(widening, ([before, after]) => {
        const breaking = compareSchemas(before, after).filter(({ kind }) =>
          ['breaking', 'undecidable'].includes(SCHEMA_CHANGES[kind].input),
        );
        expect(breaking).toEqual([]);
      }),
      { numRuns: RUNS, endOnFailure: process.env['MANIFEST_RUNS'] !== undefined },
    );
  });

  test('finds nothing between a schema and itself, however it is spelled', () => {
    fc.assert(
      fc.property(pair, ([schema]) => {
        expect(compareSchemas(schema, JSON.parse(JSON.stringify(schema)) as JsonObject)).toEqual([]);
      }),
      { numRuns: 100 },
    );
  });

  test('a schema bomb costs no more than its budget, and is told', () => {
    const bomb = (leaf: unknown): JsonObject => {
      const $defs: Record<string, unknown> = { d0: leaf };
      for (let index = 1; index < 40; index++) {
        const ref = { $ref: `#/$defs/d${index - 1}` };
        $defs[`d${index}`] = {
          anyOf: [{ properties: { a: ref } }, { properties: { b: ref } }, { allOf: [ref, { properties: { c: ref } }] }],
        };
      }
      return { $ref: '#/$defs/d39', $defs };
    };
    const changes = compareSchemas(bomb({ type: 'string' }), bomb({ type: 'integer' }));
    expect(changes.some(({ kind }) => kind === 'type-changed' || kind === 'gave-up')).toBe(true);
    const endless = { anyOf: [{ $ref: '#' }, { allOf: [{ $ref: '#' }] }] };
    expect(compareSchemas(endless, { ...endless, type: 'string' }).length).toBeGreaterThan(0);
    const loop = { $ref: '#/$defs/a', $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } };
    expect(compareSchemas(loop, { type: 'string' })).toEqual([expect.objectContaining({ kind: 'reference-unresolved' })]);
  });
});
