/** What a simulated agent does about faults; every call goes through the real decider and performer. */
import { EMPTY_PLAN, measuresOf, type Fault, type JournalEntry, type Rule } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { describe, expect, test } from 'vitest';
import { HEADLINE_RESILIENCE } from './agent.js';
import { failingCalls, headlinePlan } from './headline.js';
import { createSimulation, simulate, type SimulationOptions, type SimulationResult } from './simulation.js';

function run(rule: Partial<Rule> & { fault: Fault }, options: Partial<SimulationOptions> = {}): SimulationResult {
  const params = Object.fromEntries(Object.entries(rule.fault.params).map(([name, spec]) => [name, spec.default]));
  const whole: Rule = {
    id: 'rule',
    when: {},
    at: {},
    probability: 1,
    shape: { kind: 'iid' },
    phase: rule.fault.phases[0]!,
    isEnabled: true,
    ...rule,
    params: { ...params, ...rule.params },
  };
  return simulate({
    plan: { ...EMPTY_PLAN, rules: [whole] },
    seed: 1,
    random: 'keyed',
    tasks: 10,
    fanout: 5,
    resilience: undefined,
    ...options,
  });
}

const withoutFaults: SimulationOptions = { plan: EMPTY_PLAN, seed: 0, random: 'keyed', tasks: 10, fanout: 5, resilience: undefined };

test('without faults every task is complete', () => {
  const { tally, openBreakers, deceivedTasks } = simulate(withoutFaults);
  expect(measuresOf(tally)).toMatchObject({ eta: 1, tcsr: 1, scr: 1, tcaf: 5, blastRadius: 0, retryAmplificationUpstream: 1 });
  expect([openBreakers, deceivedTasks]).toEqual([[], 0]);
});

describe.each(Object.values(faults).map((fault) => [fault.type, fault] as const))('%s', (_, fault) => {
  test.each([undefined, HEADLINE_RESILIENCE])('every task ends, and the same seed ends the same', (resilience) => {
    const once = run({ fault, probability: 0.2 }, { tasks: 40, resilience });
    expect(once.tally.tasks).toBe(40);
    expect(once.tally.wanted).toBe(200);
    expect(run({ fault, probability: 0.2 }, { tasks: 40, resilience })).toEqual(once);
  });
});

test('a call that is never answered is given up, cancelled and counted as a missed deadline', () => {
  const journal: JournalEntry[] = [];
  const { tally, virtualMs } = run(
    { fault: faults.hang, at: { nth: [1] }, when: { tool: ['get_logs'] } },
    { timeoutMs: 5000, journal: (entry) => journal.push(entry) },
  );
  expect([tally.calls.seen, tally.calls.inTime, tally.failedTasks]).toEqual([50, 49, 1]);
  expect(virtualMs).toBe(49 * 20 + 5000 + 2 * 20);
  expect(journal.filter((entry) => entry.kind === 'call' && entry.outcome === 'cancelled')).toHaveLength(1);
});

test('a late answer is correct, and not in time', () => {
  const { tally } = run({ fault: faults.latency, params: { addedMs: 1500 }, when: { tool: ['get_logs'] } });
  expect(measuresOf(tally)).toMatchObject({ eta: 1, tcsr: 0.8, deadlineAdherence: 0.8, blastRadius: 0 });
});

test('an answer that looks fine and is not deceives the agent, and the measures know', () => {
  const { tally, deceivedTasks } = run({
    fault: faults.staleResult,
    when: { tool: ['get_logs'] },
    at: { after: { matches: 1 } },
    probability: 0.5,
  });
  expect(deceivedTasks).toBeGreaterThan(0);
  expect(measuresOf(tally)).toMatchObject({ availability: 1, scr: 1, blastRadius: 0, eta: 1 - deceivedTasks / 50 });
});

test('an answer without content is noticed: the agent tries again', () => {
  const { tally, deceivedTasks } = run({ fault: faults.emptyResult, at: { nth: [1] } }, { resilience: HEADLINE_RESILIENCE });
  expect([tally.calls.seen, tally.failedTasks, deceivedTasks]).toEqual([55, 0, 0]);
});

test('a tool that is not listed cannot be called', () => {
  const { tally } = run({ fault: faults.dropTool, when: { tool: ['check_dependency'] } });
  expect([tally.calls.seen, tally.wanted, tally.failedTasks]).toEqual([40, 50, 10]);
});

test('a breaker stops the calls to a tool that keeps failing, and degradation does without it', () => {
  const { tally, openBreakers } = simulate({
    ...withoutFaults,
    plan: headlinePlan(failingCalls(1, { tools: ['check_dependency'] }), 0),
    tasks: 100,
    resilience: { ...HEADLINE_RESILIENCE, probeInterval: undefined },
  });
  expect(openBreakers).toEqual(['check_dependency']);
  expect([tally.failedTasks, tally.degradedTasks]).toEqual([0, 100]);
  // Four operations of three attempts each, then never again.
  expect(tally.calls.seen).toBe(400 + 12);
});

test('a run in slices ends as a run at once', () => {
  const options: SimulationOptions = { ...withoutFaults, plan: headlinePlan(failingCalls(0.1), 3), resilience: HEADLINE_RESILIENCE };
  const sliced = createSimulation(options);
  let slices = 1;
  while (sliced.run(7) === undefined) slices++;
  expect(slices).toBeGreaterThan(5);
  expect(sliced.run()).toEqual(simulate(options));
});

test('the same failures meet both agents: a keyed draw does not depend on who asks', () => {
  const failuresOf = (options: Partial<SimulationOptions>): readonly string[] => {
    const seen: string[] = [];
    const journal = (entry: JournalEntry): void =>
      void (entry.kind === 'fault' && entry.match <= 40 && seen.push(`${entry.scope} ${entry.match}`));
    simulate({ ...withoutFaults, plan: headlinePlan(failingCalls(0.05), 3), tasks: 100, journal, ...options });
    return seen.sort();
  };
  expect(failuresOf({})).toEqual(failuresOf({ resilience: HEADLINE_RESILIENCE }));
});
