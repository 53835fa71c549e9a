/** Simulates a fault plan, or the headline, over several seeds. */
import { createCatalogue, ToolquakeError, type Era, type JournalEntry, type Plan } from '@toolquake/sdk/core';
import * as faults from '@toolquake/sdk/faults';
import { loadPlan } from '../config/load-plan.js';
import type { SimulationReport } from '../reporters/simulation.js';
import { expectedBlastRadius, failingCalls, headlinePlan } from '../simulator/headline.js';
import type { RandomName } from '../simulator/simulation.js';
import { simulateRows, type Defence } from './simulation-rows.js';

/** What is simulated. */
export type SimulateOptions = {
  /** A plan; without it the headline. */
  readonly planPath?: string | undefined;
  /** Share of calls that fail in the headline. */
  readonly rate: number;
  readonly tasks: number;
  readonly fanout: number;
  /** The first seed; the plan's own when absent. */
  readonly seed?: number | undefined;
  readonly seeds: number;
  /** Keyed for plans (as live), CPython's generator for the headline (as published), unless told otherwise. */
  readonly random?: RandomName | undefined;
  readonly defence: Defence;
  readonly era: Era;
  readonly journalPath?: string | undefined;
  /** Hears every entry, in order. */
  readonly onEntry?: ((entry: JournalEntry) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly tell: (line: string) => void;
};

/** The seed of the published headline. */
const HEADLINE_SEED = 42;

/** Loads, simulates and sums up. Throws a `ToolquakeError` before anything was started when the plan is wrong. */
export async function runSimulate(options: SimulateOptions): Promise<SimulationReport> {
  const { planPath, rate, fanout } = options;
  if (planPath === undefined) {
    const seed = options.seed ?? HEADLINE_SEED;
    return simulateRows({
      ...options,
      subject: `the headline: every call fails with probability ${rate}`,
      plan: headlinePlan(failingCalls(rate), seed),
      seed,
      random: options.random ?? 'mersenne',
      analytic: (resilience) => expectedBlastRadius(rate, fanout, resilience),
    });
  }
  const plan = await loadPlan(planPath, { catalogue: createCatalogue(faults), transport: 'simulator' });
  checkEra(plan, planPath, options.era);
  return simulateRows({ ...options, subject: planPath, plan, seed: options.seed ?? plan.seed, random: options.random ?? 'keyed' });
}

/** A fault that does not exist in the simulated era would never fire, and more tasks would not help. */
function checkEra(plan: Plan, path: string, era: Era): void {
  const wrong = plan.rules.filter(({ fault, isEnabled }) => isEnabled && !fault.eras.includes(era));
  const [first] = wrong;
  if (first === undefined) return;
  throw new ToolquakeError('WRONG_CARRIER', {
    message: wrong.map(({ id, fault }) => `${path}: Rule "${id}": the fault ${fault.type} cannot act in the ${era} era.`).join('\n'),
    advice: `It works in: ${first.fault.eras.join(', ')}. Simulate with --era ${first.fault.eras[0]}, or switch the rule off with "enabled: false".`,
  });
}
