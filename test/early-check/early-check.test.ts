/** The early check of the design: one fault file, every transport, equal decisions, and what both ends really saw. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { decisionsOf, type Era, type JsonObject } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { coverageDocument } from './coverage-table.js';
import { whyNotPlayed, type Scenario } from './scenario.js';
import { scenarios } from './scenarios.js';
import { STAGES, type Stage, type StageName } from './stage.js';
import { catalogue, openStage } from './stages.js';

const stageNames = Object.keys(STAGES) as StageName[];

const planOf = ({ fault, rule, seed }: Scenario): JsonObject => ({
  version: 1,
  seed: seed ?? 42,
  rules: [{ id: 'shake', fault, ...rule }],
});

/** What must not depend on the transport. */
type Outcome = { readonly decisions: readonly string[]; readonly answers: readonly JsonObject[] };

async function play(scenario: Scenario, name: StageName, era: Era): Promise<Outcome> {
  const stage = await openStage(name, planOf(scenario), era);
  try {
    if (scenario.startsAlone !== true) expect(await stage.hello()).toBe(true);
    await scenario.play(stage);
  } finally {
    await stage.leave();
  }
  return { decisions: decisionsOf(stage.journal()), answers: answersOf(stage) };
}

const answersOf = (stage: Stage): readonly JsonObject[] =>
  stage.seen
    .flatMap((one) => (one.what === 'message' && typeof one.message['id'] === 'number' ? [one.message] : []))
    .toSorted((a, b) => Number(a['id']) - Number(b['id']));

function check(scenario: Scenario, names: readonly StageName[], era: Era): void {
  const here = names.filter((name) => whyNotPlayed(scenario, catalogue.get(scenario.fault)!, name) === undefined);
  let expected: Promise<Outcome> | undefined;

  test.each(here)('%s', async (name) => {
    expected ??= play(scenario, 'simulator', era);
    const simulated = await expected;
    expect(simulated.decisions.some((line) => line.includes('"state":"delivered"'))).toBe(true);
    const seen = name === 'simulator' ? simulated : await play(scenario, name, era);
    expect(seen.decisions).toEqual(simulated.decisions);
    if (scenario.hasOwnAnswers !== true) expect(seen.answers).toEqual(simulated.answers);
  });
}

/** The era of the coverage table: the older one, where the fault exists in it. */
const mainEra = ({ fault }: Scenario): Era => (catalogue.get(fault)!.eras.includes('legacy') ? 'legacy' : 'modern');

describe.each(scenarios)('$name', (scenario) => check(scenario, stageNames, mainEra(scenario)));

const modern = scenarios.filter(
  (scenario) =>
    scenario.notModern === undefined && mainEra(scenario) === 'legacy' && catalogue.get(scenario.fault)!.eras.includes('modern'),
);

describe.each(modern)('$name, modern era', (scenario) => check(scenario, ['stdio', 'http-sse', 'fetch-json'], 'modern'));

test('docs/transports.md says what these tests show, for every fault of the catalogue', () => {
  const file = fileURLToPath(new URL('../../docs/transports.md', import.meta.url));
  const document = coverageDocument(scenarios, catalogue);
  if (process.env['UPDATE'] === '1') writeFileSync(file, document);
  expect(readFileSync(file, 'utf8'), 'regenerate with: UPDATE=1 npx vitest run test/early-check').toBe(document);
});
