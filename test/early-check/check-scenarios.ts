/**
 * The early check of the design: one fault file, every transport, equal decisions, and what both ends really saw. Each file of
 * scripts has a test file of its own beside it, so that they run side by side.
 */
import { decisionsOf, type Era, type JsonObject } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { whyNotPlayed, type Scenario } from './scenario.js';
import { STAGES, type Stage, type StageName } from './stage.js';
import { catalogue, openStage } from './stages.js';

const ALL_STAGES = Object.keys(STAGES) as StageName[];
const MODERN_STAGES: readonly StageName[] = ['stdio', 'http-sse', 'fetch-json', 'in-process'];

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

function checkOn(scenario: Scenario, names: readonly StageName[], era: Era): void {
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

/** Plays scripts on every stage in the era of the coverage table (the older one, where the fault exists in it), then in the modern one. */
export function checkScenarios(scenarios: readonly Scenario[]): void {
  for (const scenario of scenarios) {
    const { eras } = catalogue.get(scenario.fault)!;
    const isLegacy = eras.includes('legacy');
    describe(scenario.name, () => checkOn(scenario, ALL_STAGES, isLegacy ? 'legacy' : 'modern'));
    if (!isLegacy || !eras.includes('modern') || scenario.notModern !== undefined) continue;
    describe(`${scenario.name}, modern era`, () => checkOn(scenario, MODERN_STAGES, 'modern'));
  }
}
