/** A plan for the length of a test. A rule that never fired fails the test: what did not break proves nothing. */
import { requirePlan } from '../core/check-plan.js';
import { createCatalogue } from '../core/fault.js';
import { isObject } from '../core/message.js';
import type { Plan } from '../core/plan.js';
import * as faults from '../faults/index.js';
import { wrapFetch, type WrappedFetch } from '../interceptors/fetch.js';
import { expectEveryRuleFired } from './expectations.js';
import { notePlan, type PlanRun } from './plan-run.js';

/** What a test may leave open, and how the plan is run. */
export type WithPlanOptions<Run extends PlanRun> = {
  /** Rules that need not fire; `true` for all of them. */
  readonly mayNotFire?: readonly string[] | true;
  /** Runs the plan. Let it observe all calls, so that a failure can say what was seen. */
  readonly start: (plan: Plan) => Run;
};

/** Runs the plan around the work, through a wrapped global fetch: hand `run.fetch` to the client. */
export function withPlan<Value>(
  plan: unknown,
  work: (run: WrappedFetch) => Promise<Value> | Value,
  options?: Omit<WithPlanOptions<WrappedFetch>, 'start'>,
): Promise<Value>;
/** Runs the plan around the work, in whatever way `start` says. */
export function withPlan<Value, Run extends PlanRun>(
  plan: unknown,
  work: (run: Run) => Promise<Value> | Value,
  options: WithPlanOptions<Run>,
): Promise<Value>;
export async function withPlan(
  plan: unknown,
  work: (run: never) => unknown,
  options: Partial<WithPlanOptions<PlanRun>> = {},
): Promise<unknown> {
  const { start = runThroughFetch, mayNotFire = [] } = options;
  const checked = isChecked(plan) ? plan : requirePlan(plan, createCatalogue(faults));
  const run = start(checked);
  notePlan(run, checked);
  let value: unknown;
  try {
    // The overloads pair the run with the work.
    value = await work(run as never);
  } finally {
    await run.stop();
  }
  // Only after work that went well: its own failure says more.
  if (mayNotFire !== true) expectEveryRuleFired(run, { except: mayNotFire });
  return value;
}

const runThroughFetch = (plan: Plan): WrappedFetch => wrapFetch(globalThis.fetch, { plan, observesAll: true });

/** A checked plan holds its faults; what a person writes names them. */
function isChecked(plan: unknown): plan is Plan {
  if (!isObject(plan) || !isObject(plan['task']) || !isObject(plan['expect']) || !Array.isArray(plan['rules'])) return false;
  return (plan['rules'] as unknown[]).every((rule) => isObject(rule) && isObject(rule['fault']));
}
