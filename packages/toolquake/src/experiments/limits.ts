/** The most that a run may do, asked at every tick. Pure. */
import type { ExperimentLimits } from '../core/experiment.js';

/** Which limit is reached, in a sentence; undefined while there is room. */
export function reachedLimit(
  limits: ExperimentLimits,
  { calls, faulted }: { readonly calls: number; readonly faulted: number },
  nowMs: number,
): string | undefined {
  if (nowMs >= limits.maxRuntimeMs) return `The run lasted ${limits.maxRuntimeMs / 1000} s, the most it may.`;
  if (faulted >= limits.maxFaultedCalls) return `${faulted} calls were hit, and the most is ${limits.maxFaultedCalls}.`;
  if (calls >= limits.maxCalls) return `${calls} calls were made, and the most is ${limits.maxCalls}.`;
  return undefined;
}
