/** The admin routes for a run: faults for any of its targets, from outside the process. */
import { requirePlan } from '../core/check-plan.js';
import { ToolquakeError } from '../core/errors.js';
import { createCatalogue, type Catalogue } from '../core/fault.js';
import * as faults from '../faults/index.js';
import { createAdmin, type AdminRequest, type AdminResponse } from './admin.js';
import type { Run } from './run.js';

/** How the routes of a run are opened. */
export type RunAdminOptions = {
  /** Absent or empty: everything is refused. */
  readonly token: string | undefined;
  /** The faults that a new plan may name; by default all of the product. */
  readonly catalogue?: Catalogue;
};

/** The routes as a function from request to response, for any HTTP server. A target that a caller names is `when.target`. */
export function createRunAdmin(run: Run, { token, catalogue }: RunAdminOptions): (request: AdminRequest) => Promise<AdminResponse> {
  return createAdmin({
    controller: run,
    token,
    isRouted: true,
    fired: run.fired,
    readPlan: (text) => requirePlan(jsonOf(text), catalogue ?? createCatalogue(faults)),
    nowMs: () => run.clock.nowMs(),
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ToolquakeError('BAD_SYNTAX', { message: 'A plan for a run must be JSON.', cause });
  }
}
