import { measuresOf, type JournalEntry, type Shape } from '@toolquake/sdk/core';
import { describe, expect, test } from 'vitest';
import { HEADLINE_RESILIENCE, type Resilience } from './agent.js';
import { failingCalls, headlinePlan } from './headline.js';
import { simulate, type SimulationOptions, type SimulationResult } from './simulation.js';

const CLASSIC: Resilience = { ...HEADLINE_RESILIENCE, probeInterval: undefined };

function headline(
  options: Partial<SimulationOptions> & { rate?: number; shape?: Shape; tools?: readonly string[]; seed?: number },
): SimulationResult {
  const { rate = 0.02, shape, tools, seed = 42, ...rest } = options;
  const rule = failingCalls(shape === undefined ? rate : 1, {
    ...(shape === undefined ? {} : { shape }),
    ...(tools === undefined ? {} : { tools }),
  });
  return simulate({ tasks: 200, fanout: 8, random: 'mersenne', resilience: undefined, ...rest, seed, plan: headlinePlan(rule, seed) });
}

test('reproduces the published headline without resilience: 12 % of tasks fail at 2 % of calls', () => {
  const { tally, virtualMs } = headline({});
  const measures = measuresOf(tally);
  expect([measures.tcaf, measures.tcsr, measures.tcsrCompat, measures.eta, measures.blastRadius]).toEqual([
    8, 0.98375, 0.98375, 0.98375, 0.12,
  ]);
  expect(tally.calls.seen).toBe(1600);
  // 1574 calls of 20 ms, 26 failures of 1 ms, a session and a list of tools.
  expect(virtualMs).toBe(1574 * 20 + 26 + 2 * 20);
});

test.each([CLASSIC, HEADLINE_RESILIENCE])(
  'reproduces the published headline with resilience: 26 more calls, no task fails',
  (resilience) => {
    const { tally, openBreakers } = headline({ resilience });
    const measures = measuresOf(tally);
    expect(tally.calls.seen).toBe(1626);
    expect([measures.tcaf, measures.tcafCompat, measures.tcsrCompat, measures.etaCompat, measures.blastRadius]).toEqual([8, 8, 1, 1, 0]);
    expect(measures.tcsr).toBe(1600 / 1626);
    expect(openBreakers).toEqual([]);
  },
);

describe('the published table of correlated failures, means of seeds 0 to 49', () => {
  const burst = (meanLength: number): { shape: Shape } => ({ shape: { kind: 'burst', rate: 0.02, meanLength, scope: 'plan' } });
  const episodes = {
    shape: { kind: 'episode', rate: 0.08, meanLength: 20, scope: 'plan' },
    tools: ['describe_service', 'check_dependency'],
  } as const;
  test.each([
    { name: 'independent', world: {}, none: '0.1507', classic: '0.0001', probing: '0.0001', lockIns: 0 },
    { name: 'bursts of 4', world: burst(4), none: '0.0598', classic: '0.0206', probing: '0.0206', lockIns: 0 },
    { name: 'bursts of 16', world: burst(16), none: '0.0348', classic: '0.0526', probing: '0.0161', lockIns: 2 },
    { name: 'bursts of 64', world: burst(64), none: '0.0316', classic: '0.0297', probing: '0.0142', lockIns: 1 },
    { name: 'episodes on two tools', world: episodes, none: '0.0980', classic: '0.2076', probing: '0.1007', lockIns: 8 },
  ])(
    '$name: $none without, $classic with resilience ($lockIns breakers stuck open), $probing with probes',
    ({ world, none, classic, probing, lockIns }) => {
      const table = [undefined, CLASSIC, HEADLINE_RESILIENCE].map((resilience) => {
        const runs = Array.from({ length: 50 }, (_, seed) => headline({ ...world, seed, resilience }));
        const failed = runs.reduce((sum, { tally }) => sum + tally.failedTasks, 0);
        return { blastRadius: (failed / (50 * 200)).toFixed(4), stuck: runs.filter(({ openBreakers }) => openBreakers.length > 0).length };
      });
      expect(table.map(({ blastRadius }) => blastRadius)).toEqual([none, classic, probing]);
      expect(table[1]?.stuck).toBe(lockIns);
    },
  );
});

test('the same options make the same journal, byte for byte', () => {
  const journalOf = (seed: number): string => {
    const entries: JournalEntry[] = [];
    headline({ seed, random: 'keyed', resilience: HEADLINE_RESILIENCE, journal: (entry) => entries.push(structuredClone(entry)) });
    return JSON.stringify(entries);
  };
  expect(journalOf(7)).toBe(journalOf(7));
  expect(journalOf(7)).not.toBe(journalOf(8));
});
