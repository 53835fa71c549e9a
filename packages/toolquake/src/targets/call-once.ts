/** One call of one tool over a connection of its own. */
import type { JsonObject } from '@toolquake/sdk/core';
import type { RpcOutcome } from '../core/connection.js';
import type { Variables } from './credential.js';
import { openConnection } from './open-connection.js';
import type { TargetDefinition } from './target.js';

/** A call to make. */
export type ToolCall = { readonly tool: string; readonly arguments: JsonObject };

/** Calls them one after the other, and resolves to what each was answered. Rejects with a `TargetFailure`. */
export async function callTools(
  target: TargetDefinition,
  calls: readonly ToolCall[],
  { env, signal }: { readonly env: Variables; readonly signal: AbortSignal },
): Promise<readonly RpcOutcome[]> {
  const connection = await openConnection(target, { env, signal });
  try {
    const outcomes: RpcOutcome[] = [];
    for (const { tool, arguments: given } of calls) outcomes.push(await connection.request('tools/call', { name: tool, arguments: given }));
    return outcomes;
  } finally {
    await connection.close();
  }
}
