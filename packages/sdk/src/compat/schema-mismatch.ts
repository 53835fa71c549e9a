/** The native fault `schema-drift`, for the MCP answers of one call. */
import { startPlan } from '../controller/start-plan.js';
import { createCatalogue } from '../core/fault.js';
import { schemaDrift } from '../faults/schema-drift.js';
import { interceptFetch } from '../interceptors/intercept-fetch.js';

/** A fetch that takes members out of tool results, wherever they stand in them; other traffic passes as it is. */
export function withoutMembers(fetch: typeof globalThis.fetch, fields: readonly string[]): typeof globalThis.fetch {
  if (fields.length === 0) return fetch;
  const rules = [{ fault: 'schema-drift', params: { op: 'drop', fields } }];
  const run = startPlan({ rules }, { catalogue: createCatalogue([schemaDrift]), isAllowed: () => true });
  // The run holds no timer and no patch, so it ends with the last answer that refers to it.
  return interceptFetch(run, { fetch: (input, init) => fetch(input, init) }).fetch as typeof globalThis.fetch;
}
