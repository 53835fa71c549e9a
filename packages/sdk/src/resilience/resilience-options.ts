/** How calls are defended: every option with its default. */
import type { Clock } from '../core/clock.js';
import { ToolquakeError } from '../core/errors.js';
import { realClock, realRandom } from '../core/surroundings.js';
import type { BackoffOptions } from './backoff.js';
import type { CallFailure } from './call-failure.js';
import type { Deadline } from './deadline.js';
import type { DeadlineRoutingOptions } from './deadline-routing.js';
import type { EtaBreakerOptions } from './eta-breaker.js';
import type { OutboundLimiterOptions } from './outbound-limiter.js';
import type { RetryBudgetOptions } from './retry-budget.js';
import type { ToolCall, ToolContracts } from './tool-contract.js';

/** What a call is given besides its parameters; both official clients take these. */
export type AttemptOptions = { readonly signal: AbortSignal; readonly timeout: number };

/** The function underneath: `(call, options) => client.callTool(call, options)`; with the v1 client, its third parameter. */
export type CallTool<Result> = (call: ToolCall, options: AttemptOptions) => Promise<Result>;

/** One of several servers or tools that can do the same. */
export type Route<Result> = {
  readonly name: string;
  readonly callTool: CallTool<Result>;
  /** The same call in this route's words (another tool name, other arguments); undefined when it cannot do it. */
  readonly translate?: ((call: ToolCall) => ToolCall | undefined) | undefined;
  /** How long this server asked to be left alone: `watchRetryAfter(fetch).leftMs`. */
  readonly retryAfterMs?: (() => number) | undefined;
};

/** See the module comment. Durations in milliseconds. `false` switches a defence off. */
export type ResilienceOptions<Result> = {
  /** For one operation with all that it does. Default 30,000. */
  readonly deadlineMs?: number | undefined;
  /** For one attempt. Default: the deadline shared out over all attempts. */
  readonly attemptMs?: number | undefined;
  /** Default: 2 retries per operation; over all operations, 10 and then one per ten first attempts. */
  readonly retry?: RetryBudgetOptions | undefined;
  /** Default: 200 ms, doubling up to 5 s, half of it drawn. */
  readonly backoff?: BackoffOptions | undefined;
  /** Per route and tool. Default: opens when fewer than half of the last 20 were correct; every 5th call is a probe. */
  readonly breaker?: EtaBreakerOptions | false | undefined;
  /** Per route and tool: a call that will not be back in time is not made. Default: on. */
  readonly routing?: DeadlineRoutingOptions | false | undefined;
  /** Per route: calls at a time. Default 64. */
  readonly maxInFlight?: number | undefined;
  /** Per route: calls per second. Default: none. What it refuses is never retried. */
  readonly limit?: OutboundLimiterOptions | undefined;
  /** What may be repeated. Default: nothing that may have happened. */
  readonly contracts?: ToolContracts<Result> | undefined;
  /** What is wrong with a result that arrived and reports no error; undefined when it is fine. It counts as a failure. */
  readonly isUnusable?: ((result: Result, call: ToolCall) => string | undefined) | undefined;
  /** What is missing from a result; undefined when it is whole. */
  readonly isPartial?: ((result: Result, call: ToolCall) => string | undefined) | undefined;
  /** Overrides whether a failure is worth a retry. Whether a retry is safe is for the contract to say. */
  readonly isTransient?: ((failure: CallFailure) => boolean) | undefined;
  /**
   * A lesser result for an operation that failed, for example from a cache; undefined when there is none. The report says
   * `partial` and `missing`. Not asked about a write that may have happened.
   */
  readonly fallback?: ((call: ToolCall, failure: CallFailure, signal: AbortSignal) => Fallback<Result>) | undefined;
  readonly clock?: Clock | undefined;
  /** A number in [0, 1) per wait, for jitter. */
  readonly random?: (() => number) | undefined;
  /** Makes idempotency keys. Default: random UUIDs. */
  readonly createKey?: (() => string) | undefined;
};

/** What a fallback returns. */
export type Fallback<Result> = FallbackResult<Result> | undefined | Promise<FallbackResult<Result> | undefined>;

/** A lesser result, and what is lesser about it. */
export type FallbackResult<Result> = { readonly result: Result; readonly missing: string };

/** What one operation may set for itself. */
export type OperationOptions = {
  readonly deadlineMs?: number | undefined;
  /** A deadline that several operations share; takes the place of `deadlineMs`. */
  readonly deadline?: Deadline | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Names the operation: whoever asks again with the same key and tool gets the same report, and nothing is sent. */
  readonly idempotencyKey?: string | undefined;
};

/** The options with their defaults. */
export type ResilienceSettings<Result> = ReturnType<typeof resilienceSettings<Result>>;

/** Fills in the defaults, and refuses numbers that make no sense. */
export function resilienceSettings<Result>(options: ResilienceOptions<Result>) {
  const { deadlineMs = 30_000, retry = { maxRetries: 2, maxShare: 0.1, reserve: 10 } } = options;
  const settings = {
    deadlineMs,
    attemptMs: options.attemptMs,
    retry,
    backoff: options.backoff ?? { firstMs: 200, factor: 2, maxMs: 5000, jitter: 0.5 },
    breaker: options.breaker ?? { threshold: 0.5, minCalls: 5, window: 20, probeInterval: 5 },
    routing: options.routing ?? {},
    maxInFlight: options.maxInFlight ?? 64,
    limit: options.limit,
    contracts: options.contracts ?? {},
    isUnusable: options.isUnusable,
    isPartial: options.isPartial,
    isTransient: options.isTransient ?? (({ isTransient }: CallFailure) => isTransient),
    fallback: options.fallback,
    clock: options.clock ?? realClock,
    random: options.random ?? realRandom,
    createKey: options.createKey ?? (() => globalThis.crypto.randomUUID()),
  };
  requireRange('deadlineMs', deadlineMs, 1);
  if (settings.attemptMs !== undefined) requireRange('attemptMs', settings.attemptMs, 1);
  requireRange('retry.maxRetries', retry.maxRetries, 0, 100);
  requireRange('backoff.firstMs', settings.backoff.firstMs, 0);
  requireRange('backoff.factor', settings.backoff.factor, 1);
  requireRange('backoff.maxMs', settings.backoff.maxMs, 0);
  requireRange('backoff.jitter', settings.backoff.jitter, 0, 1);
  requireRange('maxInFlight', settings.maxInFlight, 1, Number.POSITIVE_INFINITY);
  if (settings.breaker !== false) requireRange('breaker.threshold', settings.breaker.threshold, 0, 1);
  return settings;
}

/** Throws unless the number lies in its range. */
export function requireRange(name: string, value: number, min: number, max: number = Number.MAX_SAFE_INTEGER): void {
  if (value >= min && value <= max) return;
  throw new ToolquakeError('OUT_OF_RANGE', { message: `${name} must be a number from ${min} to ${max}, not ${value}.` });
}
