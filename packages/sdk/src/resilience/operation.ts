/** The state of one operation, and the questions about it that need no waiting: where to go next, what may be repeated. */
import { backoffMs } from './backoff.js';
import type { AttemptNote } from './call-report.js';
import type { CallFailure, Executed } from './call-failure.js';
import type { Deadline } from './deadline.js';
import type { Admission } from './eta-breaker.js';
import type { ResilienceSettings, Route } from './resilience-options.js';
import type { RouteGuards, ToolGuards } from './route-guards.js';
import type { ToolCall, ToolContract } from './tool-contract.js';

/** A route with its guards. */
export type Lane<Result> = {
  readonly route: Route<Result>;
  readonly guards: RouteGuards;
  /** The server asked to be left alone until then. */
  notBeforeMs: number;
};

/** A lane that the operation has been to: its breaker is asked once and told once. */
type Visit = { readonly admission: Admission; readonly guards: ToolGuards; isCorrect: boolean | undefined };

/** One operation. */
export type Operation<Result> = {
  readonly call: ToolCall;
  readonly contract: ToolContract<Result>;
  readonly key: string;
  readonly deadline: Deadline;
  readonly attemptMs: number;
  readonly startedAtMs: number;
  readonly attempts: AttemptNote[];
  readonly visits: Map<Lane<Result>, Visit>;
  retries: number;
  /** What may have happened so far, over all attempts. */
  doubt: Executed;
  /** It may have happened here, and only this lane knows its key. */
  pinned: Lane<Result> | undefined;
};

/** What a caller is asked to do next: after the wait, take the first of these lanes that lets it in. */
export type Turn<Result> = { readonly lanes: readonly Lane<Result>[]; readonly waitMs: number };

/** A place in a lane: the call in its words, and the guards to tell. */
export type Place<Result> = { readonly lane: Lane<Result>; readonly call: ToolCall; readonly visit: Visit };

/** The lanes that can be taken soonest. A lane that was not tried yet needs no backoff; one that asked for peace gets it. */
export function nextTurn<Result>(
  operation: Operation<Result>,
  lanes: readonly Lane<Result>[],
  settings: ResilienceSettings<Result>,
): Turn<Result> {
  const nowMs = settings.clock.nowMs();
  const { visits, retries } = operation;
  // Drawn once per turn, so that jitter does not choose between lanes.
  const againMs = visits.size === 0 ? 0 : backoffMs(settings.backoff, retries, settings.random);
  const waits = lanes.map((lane) => {
    const peaceMs = Math.max(lane.notBeforeMs - nowMs, lane.route.retryAfterMs?.() ?? 0, 0);
    return { lane, waitMs: Math.max(visits.has(lane) ? againMs : 0, peaceMs) };
  });
  const waitMs = Math.min(...waits.map((one) => one.waitMs));
  return { lanes: waits.filter((one) => one.waitMs <= waitMs).map(({ lane }) => lane), waitMs };
}

/** Takes a place in the first lane that lets the operation in; why not, when none does. */
export function takePlace<Result>(operation: Operation<Result>, lanes: readonly Lane<Result>[]): Place<Result> | string {
  const reasons: string[] = [];
  for (const lane of lanes) {
    const place = tryLane(operation, lane);
    if (typeof place !== 'string') return place;
    reasons.push(`${lane.route.name}: ${place}`);
  }
  return reasons.join('; ');
}

function tryLane<Result>(operation: Operation<Result>, lane: Lane<Result>): Place<Result> | string {
  const { route, guards } = lane;
  const call = route.translate === undefined ? operation.call : route.translate(operation.call);
  if (call === undefined) return `cannot do ${operation.call.name}`;
  let visit = operation.visits.get(lane);
  if (visit === undefined) {
    const tool = guards.tool(call.name);
    visit = { admission: tool.breaker?.admit() ?? 'call', guards: tool, isCorrect: undefined };
    operation.visits.set(lane, visit);
  }
  if (visit.admission === 'refuse') return 'its breaker is open';
  const leftMs = Math.min(operation.attemptMs, operation.deadline.leftMs());
  // A probe goes through however slow the tool was: it is sent to find out.
  if (visit.admission !== 'probe' && visit.guards.routing?.isWorthCalling(leftMs) === false) return 'it would not be back in time';
  const full = guards.enter();
  return full ?? { lane, call, visit };
}

/** Tells the breakers how it ended on their routes. What was cancelled or never sent says nothing about a tool. */
export function tellBreakers(operation: Operation<unknown>): void {
  for (const { admission, guards, isCorrect } of operation.visits.values()) {
    if (isCorrect !== undefined) guards.breaker?.record(admission, isCorrect);
  }
}

/** Notes what a failed attempt leaves in doubt. */
export function noteDoubt<Result>(operation: Operation<Result>, lane: Lane<Result>, { executed }: CallFailure): void {
  const { contract } = operation;
  if (executed === 'no') return;
  operation.doubt = executed;
  if (contract.kind === 'idempotent' && contract.isSharedByRoutes !== true) operation.pinned = lane;
}
