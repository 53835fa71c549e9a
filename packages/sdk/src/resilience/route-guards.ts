/** The state machines that stand before one route: the same that a simulated agent has before its servers. */
import type { Clock } from '../core/clock.js';
import { createBulkhead } from './bulkhead.js';
import { createDeadlineRouting, type DeadlineRouting } from './deadline-routing.js';
import { createEtaBreaker, type EtaBreaker } from './eta-breaker.js';
import { createOutboundLimiter } from './outbound-limiter.js';
import type { ResilienceSettings } from './resilience-options.js';

/** More tools than this on one route share their guards: a caller that invents names must not grow our memory. */
const MAX_TOOLS = 1000;

type GuardSettings = Pick<ResilienceSettings<never>, 'breaker' | 'routing' | 'maxInFlight' | 'limit'>;

/** What guards one tool on one route. */
export type ToolGuards = { readonly breaker: EtaBreaker | undefined; readonly routing: DeadlineRouting | undefined };

/** See the module comment. */
export type RouteGuards = {
  tool(name: string): ToolGuards;
  /** Takes a place for one call; why not, when there is none. */
  enter(): string | undefined;
  leave(): void;
  openBreakers(): readonly string[];
};

/** Sets up the guards of one route. */
export function createRouteGuards({ breaker, routing, maxInFlight, limit }: GuardSettings, clock: Clock): RouteGuards {
  const bulkhead = createBulkhead({ maxInFlight });
  const limiter = limit === undefined ? undefined : createOutboundLimiter(limit);
  const tools = new Map<string, ToolGuards>();
  const create = (): ToolGuards => ({
    breaker: breaker === false ? undefined : createEtaBreaker(breaker),
    routing: routing === false ? undefined : createDeadlineRouting(routing),
  });
  return {
    tool(name) {
      const key = tools.has(name) || tools.size < MAX_TOOLS ? name : 'others';
      let found = tools.get(key);
      if (found === undefined) tools.set(key, (found = create()));
      return found;
    },
    enter() {
      if (!bulkhead.enter()) return `${maxInFlight} calls are under way`;
      if (limiter === undefined || limiter.take(clock.nowMs()) === 'go') return undefined;
      bulkhead.leave();
      return 'the limit of calls per second is reached';
    },
    leave: () => bulkhead.leave(),
    openBreakers: () => [...tools].flatMap(([name, guards]) => (guards.breaker?.isOpen() === true ? [name] : [])),
  };
}
