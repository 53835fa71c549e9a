/** Probe: all pages of `tools/list`. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { Connection } from '../core/connection.js';

/** The tools as they were listed. */
export type ToolListMeasurement = { readonly tools: readonly JsonObject[]; readonly pages: number };

/** Rejects with a `TargetFailure` of the step `list`. */
export async function measureToolList(connection: Connection): Promise<ToolListMeasurement> {
  const { items, pages } = await connection.listAll('tools');
  return { tools: items, pages };
}
