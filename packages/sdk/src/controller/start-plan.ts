/** Starts a plan inside this process. Interceptors (`@toolquake/sdk/interceptors`) then attach what it is to act on. */
import { requirePlan } from '../core/check-plan.js';
import type { Clock } from '../core/clock.js';
import { createCatalogue, type Catalogue } from '../core/fault.js';
import type { JournalSink } from '../core/journal.js';
import { isObject, type JsonObject } from '../core/message.js';
import type { Plan } from '../core/plan.js';
import type { RandomSource } from '../core/random.js';
import * as faults from '../faults/index.js';
import { whyGuarded } from '../interceptors/guard.js';
import { backgroundClock, realClock } from '../core/surroundings.js';
import { startRun, type Run } from './run.js';

/** How a plan is run. */
export type StartPlanOptions = {
  /** The faults that rules may name; by default all of the product. */
  readonly catalogue?: Catalogue;
  /** Where entries go; by default into the `journal` of the run. */
  readonly journal?: JournalSink;
  /** Hears of refusals by the guard and of our own mistakes; traffic goes on untouched. */
  readonly onProblem?: (error: unknown) => void;
  /** Overrides the guard. By default `CHAOS_ENABLED` must be `true`, and neither NODE_ENV nor ENVIRONMENT `production`. */
  readonly isAllowed?: () => boolean;
  /** Journal every tool call, also where no rule matches. */
  readonly observesAll?: boolean;
  readonly clock?: Clock;
  readonly random?: RandomSource;
};

/** Starts a plan: one that was checked, or the data of one, as a file would hold it. Throws where the plan is wrong. */
export function startPlan(plan: Plan | JsonObject, options: StartPlanOptions = {}): Run {
  const { clock } = options;
  const catalogue = options.catalogue ?? createCatalogue(faults);
  return startRun({
    ...options,
    plan: isChecked(plan) ? plan : requirePlan(plan, catalogue),
    catalogue,
    clock: clock ?? realClock,
    backgroundClock: clock ?? backgroundClock,
    guarded: whyGuarded(options.isAllowed),
    transport: 'in-process',
    learnsTools: true,
  });
}

/** Only a validator fills in all of these, and puts faults where data has their names. */
function isChecked(plan: Plan | JsonObject): plan is Plan {
  const { rules, limits, task, expect } = plan;
  return (
    isObject(limits) &&
    isObject(task) &&
    isObject(expect) &&
    Array.isArray(rules) &&
    rules.every((rule) => isObject(rule) && isObject(rule['fault']))
  );
}
