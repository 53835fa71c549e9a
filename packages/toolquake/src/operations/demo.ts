/** The headline experiment: the same failures, met without and with resilience. */
import type { SimulationReport } from '../reporters/simulation.js';
import { expectedBlastRadius, failingCalls, headlinePlan } from '../simulator/headline.js';
import { simulateRows } from './simulation-rows.js';

/** What the demo can be asked to change. */
export type DemoOptions = {
  /** Share of calls that fail. */
  readonly rate: number;
  readonly fanout: number;
  readonly seed: number;
  readonly tasks: number;
  readonly journalPath?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly onProgress?: ((done: number) => void) | undefined;
  readonly tell: (line: string) => void;
};

/** Runs it. Draws come from CPython's generator, so that the result is the published one. */
export function runDemo(options: DemoOptions): Promise<SimulationReport> {
  const { rate, fanout, seed } = options;
  return simulateRows({
    ...options,
    subject: 'the headline',
    plan: headlinePlan(failingCalls(rate), seed),
    seeds: 1,
    random: 'mersenne',
    defence: 'both',
    analytic: (resilience) => expectedBlastRadius(rate, fanout, resilience),
  });
}
