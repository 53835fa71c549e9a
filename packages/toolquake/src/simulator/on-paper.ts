/** What a topology should do on paper, where it is simple enough for a formula. */
import { analyticBlastRadius } from '@toolquake/sdk/core';
import { stepsOf } from './check-system.js';
import type { Topology } from './topology.js';

/** Faults that end the call they happen on, and touch no other. */
const ENDING_ONE_CALL = ['error-response', 'tool-error', 'hang'];

/**
 * The expected share of failed tasks when calls fail independently: one agent, one rule that ends calls at a fixed
 * probability, nothing that changes, breaks off or remembers. Undefined for everything else.
 */
export function blastRadiusOnPaper({ agents, plan, timeline, levels, gateway }: Topology): number | undefined {
  const [agent, ...others] = Object.values(agents);
  const [rule, ...more] = plan.rules.filter(({ isEnabled }) => isEnabled);
  if (agent === undefined || rule === undefined || others.length > 0 || more.length > 0) return undefined;
  if (timeline.length > 0 || levels !== undefined || gateway !== undefined) return undefined;
  const { fault, shape, at, when, probability } = rule;
  const isIndependent = ENDING_ONE_CALL.includes(fault.type) && shape.kind === 'iid';
  if (!isIndependent || Object.keys(at).length > 0 || Object.keys(when).length > 0 || plan.limits.maxFaults !== undefined) return undefined;
  const { retryShare, limiter, bulkhead, breaker, taskDeadline } = agent;
  const hasMemory = [retryShare, limiter, bulkhead, breaker, taskDeadline].some((one) => one !== undefined);
  const max = agent.retry?.max ?? 0;
  if (hasMemory || agent.deadlineRouting || agent.fallback !== undefined || !Number.isFinite(max)) return undefined;
  const attempts = (1 + max) * (1 + agent.clientRetries);
  const needed = stepsOf(agent).flat().length - agent.spareSteps;
  return analyticBlastRadius(probability ** attempts, Math.max(0, needed));
}
