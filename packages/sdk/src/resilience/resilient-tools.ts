/**
 * Tool calls that defend themselves, around any client. The order, from the outside in, is that of a simulated agent:
 *
 *   1 idempotency   an operation that was asked for under the same key is not made again
 *   2 degradation   a lesser result instead of none, and it says so
 *   3 deadline      one for everything below
 *   4 retry         budget, backoff with jitter, Retry-After; only what may be repeated by its contract
 *   5 routing       breaker, then "will it be back in time?", then the next route
 *   6 bulkhead, limiter
 *   7 attempt       with its share of the deadline, and a signal
 *
 * Every decision is made by a state machine of this folder; this file only waits and calls.
 */
import { describeProblem } from '../core/describe-problem.js';
import { isObject } from '../core/message.js';
import { classifyError, toolErrorFailure, type CallFailure } from './call-failure.js';
import type { AttemptNote, CallReport, CallTrail } from './call-report.js';
import { createDeadline, within } from './deadline.js';
import { createIdempotentContract } from './idempotent-contract.js';
import { nextTurn, noteDoubt, takePlace, tellBreakers, type Lane, type Operation, type Place } from './operation.js';
import { askReadBack, pause } from './read-back.js';
import {
  resilienceSettings,
  requireRange,
  type CallTool,
  type OperationOptions,
  type ResilienceOptions,
  type Route,
} from './resilience-options.js';
import { createRetryBudget } from './retry-budget.js';
import { createRouteGuards } from './route-guards.js';
import { contractOf, withKey, type ToolCall } from './tool-contract.js';

/** See the module comment. */
export type ResilientTools<Result> = {
  /** Never rejects because of a tool, a server or a clock: look at `state`. */
  callTool(call: ToolCall, options?: OperationOptions): Promise<CallReport<Result>>;
  /** Tools whose breaker is open, by route. */
  openBreakers(): Readonly<Record<string, readonly string[]>>;
  /** Retries so far. */
  retries(): number;
};

/** How an attempt ended. */
type Heard<Result> = { readonly failure?: CallFailure; readonly result?: Result; readonly sentAtMs: number };

const failure = (kind: CallFailure['kind'], executed: CallFailure['executed'], message: string, isTransient = false): CallFailure => ({
  kind,
  executed,
  isTransient,
  message,
});

/** Defends calls through one client, or through several routes to the same thing, in order of preference. */
export function withResilience<Result extends object>(
  callTool: CallTool<Result> | readonly Route<Result>[],
  options: ResilienceOptions<Result> = {},
): ResilientTools<Result> {
  const settings = resilienceSettings(options);
  const { clock, retry } = settings;
  const routes: readonly Route<Result>[] = typeof callTool === 'function' ? [{ name: 'server', callTool }] : callTool;
  requireRange('the number of routes', routes.length, 1);
  const lanes = routes.map((route): Lane<Result> => ({ route, guards: createRouteGuards(settings, clock), notBeforeMs: 0 }));
  const budget = createRetryBudget(retry);
  const done = createIdempotentContract<Promise<CallReport<Result>>>();

  const begin = (call: ToolCall, given: OperationOptions): Operation<Result> => {
    const { deadlineMs = settings.deadlineMs, signal } = given;
    requireRange('deadlineMs', deadlineMs, 1);
    const own = given.deadline ?? createDeadline(deadlineMs, { clock, signal });
    const deadline = given.deadline !== undefined && signal !== undefined ? { ...own, signal: anyOf(own.signal, signal) } : own;
    return {
      call,
      contract: contractOf(settings.contracts, call.name),
      key: given.idempotencyKey ?? settings.createKey(),
      deadline,
      attemptMs: settings.attemptMs ?? Math.max(1, deadline.leftMs() / (1 + retry.maxRetries)),
      startedAtMs: clock.nowMs(),
      attempts: [],
      visits: new Map(),
      retries: 0,
      doubt: 'no',
      pinned: undefined,
    };
  };

  const attempt = async (operation: Operation<Result>, { lane, call, visit }: Place<Result>): Promise<Heard<Result>> => {
    const { contract, key, deadline, attempts, startedAtMs } = operation;
    const timeout = Math.min(operation.attemptMs, deadline.leftMs());
    const sentAtMs = clock.nowMs();
    const sent = withKey(call, contract, key);
    const finish = await within((signal) => lane.route.callTool(sent, { signal, timeout }), timeout, { clock, signal: deadline.signal });
    lane.guards.leave();
    const latencyMs = clock.nowMs() - sentAtMs;
    const heard = { ...judge(finish, sent, timeout), sentAtMs };
    if (finish.how !== 'cancelled') {
      visit.guards.routing?.record(latencyMs);
      visit.isCorrect = heard.failure === undefined;
    }
    const retryAfterMs = heard.failure?.retryAfterMs;
    if (retryAfterMs !== undefined) lane.notBeforeMs = clock.nowMs() + retryAfterMs;
    const note = { route: lane.route.name, sentAtMs: sentAtMs - startedAtMs, latencyMs };
    attempts.push(heard.failure === undefined ? note : { ...note, failure: heard.failure });
    return heard;
  };

  const judge = (
    finish: Awaited<ReturnType<typeof within<Result>>>,
    call: ToolCall,
    timeoutMs: number,
  ): Omit<Heard<Result>, 'sentAtMs'> => {
    switch (finish.how) {
      case 'late':
        return { failure: failure('no-answer', 'maybe-later', `no answer within ${Math.round(timeoutMs)} ms`, true) };
      case 'cancelled':
        return { failure: failure('cancelled', 'maybe-later', 'the caller lost interest') };
      case 'threw':
        return { failure: classifyError(finish.error) };
      case 'done': {
        const { value: result } = finish;
        if (isObject(result) && result['isError'] === true) return { failure: toolErrorFailure(result), result };
        const wrong = opinion(settings.isUnusable, result, call);
        return wrong === undefined ? { result } : { failure: failure('bad-answer', 'maybe', wrong, true) };
      }
    }
  };

  const trailOf = ({ call, key, attempts, startedAtMs }: Operation<Result>): CallTrail => ({
    tool: call.name,
    key,
    attempts,
    elapsedMs: clock.nowMs() - startedAtMs,
  });

  const succeed = (operation: Operation<Result>, result: Result): CallReport<Result> => {
    const missing = opinion(settings.isPartial, result, operation.call);
    const trail = trailOf(operation);
    return missing === undefined ? { ...trail, state: 'complete', result } : { ...trail, state: 'partial', result, missing };
  };

  /** May the failed call be made again? A report when that settled the operation; a write in doubt ends here. */
  const clearDoubt = async (operation: Operation<Result>, heard: CallFailure, sentAtMs: number): Promise<CallReport<Result> | boolean> => {
    if (operation.contract.kind !== 'write' || heard.executed === 'no') return true;
    const finding = heard.kind === 'cancelled' ? undefined : await askReadBack(operation, heard, sentAtMs, clock);
    if (finding === undefined) return false;
    const { said, isFinal } = finding;
    const words = said.happened === true ? 'happened' : said.happened === false ? 'did not happen' : 'unknown';
    operation.attempts.push({ ...(operation.attempts.pop() as AttemptNote), readBack: words });
    if (said.happened === true) return succeed(operation, said.result);
    if (said.happened !== false || !isFinal) return false;
    operation.doubt = 'no';
    return true;
  };

  /** Waits for the next place to call from; why there is none. A lane that refuses sends the operation to the others. */
  const nextPlace = async (operation: Operation<Result>, isRetry: boolean): Promise<Place<Result> | CallFailure> => {
    const { deadline, pinned } = operation;
    const refusals: string[] = [];
    let open = pinned === undefined ? lanes : [pinned];
    let isPaid = !isRetry;
    while (open.length > 0) {
      const turn = nextTurn(operation, open, settings);
      if (turn.waitMs >= deadline.leftMs()) return failure('refused', 'no', `the deadline leaves ${Math.floor(deadline.leftMs())} ms`);
      if (!isPaid && !budget.takeRetry(operation.retries++)) return failure('refused', 'no', 'the retry budget is spent');
      isPaid = true;
      if (turn.waitMs > 0) await pause(turn.waitMs, { clock, signal: deadline.signal });
      if (deadline.signal?.aborted === true) return failure('cancelled', 'no', 'the caller lost interest');
      const place = takePlace(operation, turn.lanes);
      if (typeof place !== 'string') return place;
      refusals.push(place);
      open = open.filter((lane) => !turn.lanes.includes(lane));
    }
    return failure('refused', 'no', `no route takes it (${refusals.join('; ')})`);
  };

  /** Attempts until one works, or none may follow. */
  const run = async (operation: Operation<Result>): Promise<CallReport<Result>> => {
    let last: Heard<Result> | undefined;
    const give = (why: CallFailure): CallReport<Result> => {
      const told = { ...(last?.failure ?? why), executed: operation.doubt };
      const { result } = last ?? {};
      return { ...trailOf(operation), state: 'failed', failure: told, ...(result === undefined ? {} : { result }) };
    };
    for (;;) {
      const place = await nextPlace(operation, last !== undefined);
      if ('kind' in place) return give(place);
      if (last === undefined) budget.recordFirst();
      last = await attempt(operation, place);
      const { failure: heard, result, sentAtMs } = last;
      if (heard === undefined) return succeed(operation, result!);
      noteDoubt(operation, place.lane, heard);
      const cleared = await clearDoubt(operation, heard, sentAtMs);
      if (typeof cleared === 'object') return cleared;
      if (!cleared || heard.kind === 'cancelled' || !settings.isTransient(heard)) return give(heard);
    }
  };

  const degrade = async (operation: Operation<Result>, report: CallReport<Result>): Promise<CallReport<Result>> => {
    const { fallback } = settings;
    if (fallback === undefined || report.state !== 'failed' || report.failure.kind === 'cancelled') return report;
    if (operation.contract.kind !== 'read' && report.failure.executed !== 'no') return report;
    const { deadline, call } = operation;
    const lesser = await within((signal) => fallback(call, report.failure, signal), deadline.leftMs(), { clock, signal: deadline.signal });
    if (lesser.how === 'done' && lesser.value !== undefined) return { ...trailOf(operation), state: 'partial', ...lesser.value };
    if (lesser.how !== 'threw') return report;
    return {
      ...report,
      failure: { ...report.failure, message: `${report.failure.message}; its fallback failed too: ${describeProblem(lesser.error)}` },
    };
  };

  const operate = async (call: ToolCall, given: OperationOptions): Promise<CallReport<Result>> => {
    const operation = begin(call, given);
    try {
      return await degrade(operation, await run(operation));
    } finally {
      tellBreakers(operation);
    }
  };

  return {
    callTool(call, given = {}) {
      const { idempotencyKey } = given;
      if (idempotencyKey === undefined) return operate(call, given);
      const name = `${call.name} ${idempotencyKey}`;
      const { result: report } = done.once(name, () =>
        operate(call, given).then((told) => {
          // What surely did not happen may be asked for again; what may have, is not asked for twice.
          if (told.state === 'failed' && told.failure.executed === 'no') done.forget(name);
          return told;
        }),
      );
      return report;
    },
    openBreakers: () => Object.fromEntries(lanes.map(({ route, guards }) => [route.name, guards.openBreakers()])),
    retries: () => budget.retries(),
  };
}

/** Aborts when either does. */
function anyOf(one: AbortSignal | undefined, other: AbortSignal): AbortSignal {
  return one === undefined ? other : AbortSignal.any([one, other]);
}

/** What a check of the caller's says about a result; a check that throws has found something wrong. */
function opinion<Result>(
  check: ((result: Result, call: ToolCall) => string | undefined) | undefined,
  result: Result,
  call: ToolCall,
): string | undefined {
  try {
    return check?.(result, call);
  } catch (error) {
    return `it could not be checked: ${describeProblem(error)}`;
  }
}
