/**
 * A fetch that runs a plan of its own: MCP requests and answers that pass through it meet the same decider and performer as
 * in the proxies. What no rule looks at comes back as the very Response that the wrapped fetch gave.
 */
import { startRun } from '../controller/run.js';
import type { Clock } from '../core/clock.js';
import { createCatalogue } from '../core/fault.js';
import type { JournalEntry, JournalSink } from '../core/journal.js';
import type { Plan } from '../core/plan.js';
import type { RandomSource } from '../core/random.js';
import type { FetchFunction } from './fetch-request.js';
import { whyGuarded } from './guard.js';
import { interceptFetch } from './intercept-fetch.js';
import { realClock } from '../core/surroundings.js';

/** How a fetch is wrapped. Use one wrapper per client: without session ids, all its requests are one session. */
export type WrapFetchOptions = {
  readonly plan: Plan;
  /** Name of the session in draws and journal; by default the client's own name and an ordinal. */
  readonly label?: string;
  /** Name of the server, for `when: { target }`. */
  readonly target?: string;
  /** Where entries go; by default into the `journal` of the wrapper. */
  readonly journal?: JournalSink;
  readonly clock?: Clock;
  readonly random?: RandomSource;
  /** Overrides the guard. By default `CHAOS_ENABLED` must be `true`, and neither NODE_ENV nor ENVIRONMENT `production`. */
  readonly isAllowed?: () => boolean;
  /** Hears of refusals by the guard and of our own mistakes; traffic goes on untouched. */
  readonly onProblem?: (error: unknown) => void;
  /** Journal every tool call, also where no rule matches. */
  readonly observesAll?: boolean;
  readonly maxFrameBytes?: number;
};

/** A wrapped fetch. */
export type WrappedFetch = {
  readonly fetch: FetchFunction;
  /** Sends on what is held, writes the end of the journal; afterwards fetch is the plain one. */
  stop(): void;
  /** The entries so far; empty when they go to a sink of yours. */
  readonly journal: readonly JournalEntry[];
};

/** Wraps a fetch; see the module comment. */
export function wrapFetch(fetch: FetchFunction, options: WrapFetchOptions): WrappedFetch {
  const { plan, target, clock = realClock } = options;
  const guarded = whyGuarded(options.isAllowed);
  const run = startRun({
    ...options,
    catalogue: createCatalogue([]),
    clock,
    backgroundClock: clock,
    guarded,
    transport: 'fetch',
    isAlone: true,
    into: 'into fetch',
  });
  const isIdle = guarded !== undefined || !(options.observesAll === true || plan.rules.some(({ isEnabled }) => isEnabled));
  if (isIdle) return { fetch, stop: () => {}, journal: run.journal };
  const { label, maxFrameBytes } = options;
  const wrapped = interceptFetch(run, { fetch, target, label, maxFrameBytes });
  return { fetch: wrapped.fetch, stop: run.stop, journal: run.journal };
}
