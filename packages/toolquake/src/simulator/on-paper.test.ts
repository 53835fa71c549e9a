/** Formulas are given where they hold, and nowhere else. */
import { createCatalogue, type JsonObject } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { expect, test } from 'vitest';
import { checkTopology } from './check-topology.js';
import { blastRadiusOnPaper } from './on-paper.js';

const catalogue = createCatalogue(faults);

function onPaper(fault: string, agent: JsonObject = {}): number | undefined {
  const { topology, problems } = checkTopology(
    {
      servers: { shop: { tools: ['look'] } },
      agents: { visitor: { tools: ['look'], tasks: 10, fanout: 8, ...agent } },
      plan: { rules: [{ id: 'one', fault, probability: 0.02 }] },
    },
    catalogue,
  );
  if (topology === undefined) throw new Error(JSON.stringify(problems));
  return blastRadiusOnPaper(topology);
}

test('independent failures compound over the steps of a task', () => {
  expect(onPaper('error-response')).toBeCloseTo(1 - 0.98 ** 8, 12);
  expect(onPaper('error-response', { retry: { max: 1 } })).toBeCloseTo(1 - (1 - 0.0004) ** 8, 12);
});

test.each(['crash', 'connection-refused', 'duplicate-response'])('%s ends more or less than one call, so there is no formula', (fault) => {
  expect(onPaper(fault)).toBeUndefined();
});

test.each([{ breaker: {} }, { taskDeadline: '1s' }, { limiter: { perSecond: 10 } }])('there is none with %j', (agent) => {
  expect(onPaper('error-response', agent)).toBeUndefined();
});
