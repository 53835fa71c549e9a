/** A look at a target by one of its tools: the value at a path of an answer, before a change and after its undo. */
import { canonicalJson, isObject, parsePath, placesAt, ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { answerData } from '../core/answer-data.js';
import { callTools, type ToolCall } from '../targets/call-once.js';
import type { TargetDefinition } from '../targets/target.js';

/** Where to look. */
export type ToolCheck = ToolCall & { readonly path: string };

/** Reads a check; throws where it is none. */
export function readCheck(value: unknown): ToolCheck {
  const { tool, path, arguments: given = {} } = isObject(value) ? value : {};
  if (typeof tool === 'string' && typeof path === 'string' && isObject(given) && parsePath(path) !== undefined)
    return { tool, path, arguments: given };
  throw new ToolquakeError('WRONG_TYPE', {
    message: 'A check needs a tool and the path of a value in its answer.',
    advice: 'For example { tool: get_flags, path: checkout }.',
  });
}

/** What stands there now; `null` where nothing does. Rejects where the tool gives no answer. */
export async function readNow(
  target: TargetDefinition,
  check: ToolCheck,
  world: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
): Promise<unknown> {
  const [outcome] = await callTools(target, [check], world);
  if (outcome?.kind !== 'result' || outcome.result['isError'] === true)
    throw new ToolquakeError('UPSTREAM_UNREACHABLE', {
      message: `The tool "${check.tool}" answered with an error, so nobody knows how things are.`,
    });
  return placesAt(answerData(outcome.result), parsePath(check.path) ?? [])[0]?.value ?? null;
}

/** Do two values say the same? */
export const sameValue = (one: unknown, other: unknown): boolean => canonicalJson(asJson(one)) === canonicalJson(asJson(other));

const asJson = (value: unknown): JsonObject => ({ value: value ?? null });
