/** How a simulated agent of a system defends itself: the patterns of the sdk, set up from its spec. */
import type { RandomSource } from '@toolquake/sdk/core';
import {
  backoffMs,
  createBulkhead,
  createDeadlineRouting,
  createEtaBreaker,
  createOutboundLimiter,
  createRetryBudget,
  type Bulkhead,
  type DeadlineRouting,
  type EtaBreaker,
  type OutboundLimiter,
  type RetryBudget,
} from '@toolquake/sdk/resilience';
import type { AgentSpec } from './topology-fields.js';

/** See the module comment. Patterns that are switched off are undefined. */
export type Defences = {
  readonly limiter: OutboundLimiter | undefined;
  readonly budget: RetryBudget;
  breaker(tool: string): EtaBreaker | undefined;
  routing(tool: string): DeadlineRouting | undefined;
  bulkhead(server: string): Bulkhead | undefined;
  openBreakers(): readonly string[];
  /** Time before retry number `retry` (from 0) of the agent. */
  backoffMs(retry: number): number;
};

/** Sets up everything that the spec asks for. */
export function createDefences(name: string, spec: AgentSpec, random: RandomSource): Defences {
  const { retry, breaker, limiter } = spec;
  const jitter = random.stream('jitter', name);
  let waits = 0;
  const breakers = new Map<string, EtaBreaker>();
  const routings = new Map<string, DeadlineRouting>();
  const bulkheads = new Map<string, Bulkhead>();
  const cached = <Value>(map: Map<string, Value>, key: string, make: () => Value): Value => {
    let found = map.get(key);
    if (found === undefined) map.set(key, (found = make()));
    return found;
  };
  return {
    limiter:
      limiter === undefined
        ? undefined
        : createOutboundLimiter({
            perSecond: limiter.perSecond,
            mode: limiter.mode,
            openMs: limiter.openFor,
            countsRefused: limiter.countsRefused,
          }),
    budget: createRetryBudget({ maxRetries: Number.POSITIVE_INFINITY, maxShare: spec.retryShare }),
    breaker: (tool) => (breaker === undefined ? undefined : cached(breakers, tool, () => createEtaBreaker(breaker))),
    routing: (tool) => (spec.deadlineRouting ? cached(routings, tool, () => createDeadlineRouting()) : undefined),
    bulkhead: (server) => {
      const { bulkhead: maxInFlight } = spec;
      return maxInFlight === undefined ? undefined : cached(bulkheads, server, () => createBulkhead({ maxInFlight }));
    },
    openBreakers: () => [...breakers].filter(([, one]) => one.isOpen()).map(([tool]) => tool),
    backoffMs(number) {
      if (retry === undefined) return 0;
      const { backoff: firstMs, factor, maxBackoff: maxMs, jitter: share } = retry;
      return backoffMs({ firstMs, factor, maxMs, jitter: share }, number, () => jitter.draw(++waits, 0));
    },
  };
}
