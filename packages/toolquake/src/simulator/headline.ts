/** The headline experiment: every call fails with the same small probability, and we look at whole tasks. */
import { analyticBlastRadius, EMPTY_PLAN, type Plan, type Rule, type Shape } from '@toolquake/sdk/core';
import { errorResponse } from '@toolquake/sdk/faults';
import type { Resilience } from './agent.js';

/** The rule of the headline: a share `probability` of calls fails, spread as `shape` says. */
export function failingCalls(probability: number, options: { shape?: Shape; tools?: readonly string[] } = {}): Rule {
  return {
    id: 'failing-calls',
    fault: errorResponse,
    params: { code: -32603, message: 'Internal error' },
    when: options.tools === undefined ? {} : { tool: options.tools },
    at: {},
    probability,
    shape: options.shape ?? { kind: 'iid' },
    phase: 'pre',
    isEnabled: true,
  };
}

/** The plan of the headline. */
export function headlinePlan(rule: Rule, seed: number): Plan {
  return { ...EMPTY_PLAN, seed, rules: [rule] };
}

/**
 * The blast radius on paper: an operation fails when its call and all retries do, a task when one of its needed operations
 * does. Independent failures, and a breaker that stays closed.
 */
export function expectedBlastRadius(rate: number, fanout: number, resilience: Resilience | undefined): number {
  const attempts = 1 + (resilience?.maxRetries ?? 0);
  return analyticBlastRadius(rate ** attempts, Math.max(0, fanout - (resilience?.spareSteps ?? 0)));
}
