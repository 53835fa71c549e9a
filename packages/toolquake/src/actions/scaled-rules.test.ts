import { checkPlan, createCatalogue, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scaledRules } from './scaled-rules.js';

const catalogue = createCatalogue(faults);

function scaled(rules: readonly JsonObject[], share: number): readonly JsonObject[] {
  const { plan, problems } = checkPlan({ version: 1, rules }, catalogue, { transport: 'http' });
  if (plan === undefined) throw new Error(JSON.stringify(problems));
  return scaledRules(rules, plan, share);
}

test('the chance of a rule is scaled, and all else stays as it was written', () => {
  const rules = [
    { id: 'a', fault: 'latency', params: { addedMs: 100 }, when: { tool: 'x' } },
    { fault: 'error-response', probability: 0.5 },
    { id: 'b', fault: 'hang', shape: { burst: { rate: 0.5, meanLength: 8 } } },
    { id: 'c', fault: 'hang', shape: { ramp: { from: 0, to: 0.5, over: 100 } }, probability: 0.5 },
    { id: 'off', fault: 'hang', enabled: false },
  ];
  expect(scaled(rules, 0.1)).toEqual([
    { ...rules[0], probability: 0.1 },
    { ...rules[1], id: expect.any(String), probability: 0.05 },
    { ...rules[2], shape: { burst: { rate: 0.05, meanLength: 8 } } },
    { ...rules[3], shape: { ramp: { from: 0, to: 0.05, over: 100 } } },
  ]);
  expect(scaled(rules.slice(0, 1), 1)).toEqual(rules.slice(0, 1));
});

test('what was scaled still is a plan, and two scalings are one', () => {
  fc.assert(
    fc.property(fc.double({ min: 0.01, max: 1, noNaN: true }), fc.double({ min: 0.01, max: 1, noNaN: true }), (share, probability) => {
      const [rule] = scaled([{ id: 'a', fault: 'hang', probability }], share);
      expect(checkPlan({ version: 1, rules: [rule] }, catalogue, { transport: 'http' }).problems).toEqual([]);
      expect((rule!['probability'] as number) <= probability).toBe(true);
    }),
  );
});
