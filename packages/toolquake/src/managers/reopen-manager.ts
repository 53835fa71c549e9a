/** Opens a manager from what was written down about it: in a ledger, or in the order of a worker. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { readManagerSpec } from './manager-names.js';
import { openManager } from './open-manager.js';
import type { ManagerWorld, ProcessManager } from './process-manager.js';

/** What is written down. No secrets: names, and folders. */
export const managerData = ({ spec, variables }: ProcessManager): JsonObject =>
  // Specs are plain data by their type.
  ({ manager: { ...spec }, variables: { ...variables } }) as JsonObject;

/** The same manager, from another process; nothing when the data names none. */
export async function reopenManager(
  { manager, variables }: JsonObject,
  { env, signal }: ManagerWorld,
): Promise<ProcessManager | undefined> {
  const spec = readManagerSpec(manager);
  if (spec === undefined) return undefined;
  const entries = isObject(variables) ? Object.entries(variables) : [];
  const added = entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return openManager(spec, { env: { ...env, ...Object.fromEntries(added) }, signal });
}
