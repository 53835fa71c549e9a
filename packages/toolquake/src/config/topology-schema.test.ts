import { readFileSync } from 'node:fs';
import { createCatalogue } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { AGENT_FIELDS, GATEWAY_FIELDS, REGISTRY_FIELDS, SERVER_FIELDS, type Fields } from '../simulator/topology-fields.js';
import { readScenario } from './load-scenario.js';
import { scenarioFile, shippedScenarios } from './shipped-scenarios.js';
import { topologySchema } from './topology-schema.js';

const catalogue = createCatalogue(faults);

test('the published schema is the one that the tables define (update it with: npx vitest run packages/toolquake/src/config/topology-schema.test.ts -u)', async () => {
  const file = fileURLToPath(new URL('../../schemas/topology.schema.json', import.meta.url));
  await expect(`${JSON.stringify(topologySchema(catalogue), null, 2)}\n`).toMatchFileSnapshot(file);
});

test.each([SERVER_FIELDS, GATEWAY_FIELDS, REGISTRY_FIELDS, AGENT_FIELDS] as readonly Fields[])(
  'every key is described by a sentence',
  (table) => {
    const walk = (fields: Fields): void => {
      for (const [name, field] of Object.entries(fields)) {
        expect(field.about, name).toMatch(/^[A-Z].*\.$/);
        if (field.kind === 'group') walk(field.fields);
      }
    };
    walk(table);
  },
);

test('every shipped scenario is called like its file, says what it shows, and compares a way without with ways that contain it', () => {
  expect(shippedScenarios()).toHaveLength(10);
  for (const name of shippedScenarios()) {
    const scenario = readScenario(name, readFileSync(scenarioFile(name), 'utf8'), catalogue);
    expect(scenario.name).toBe(name);
    expect(scenario.about.length).toBeGreaterThan(100);
    expect(scenario.variants.length).toBeGreaterThan(1);
  }
});
