/** An answer as matchers see it. */
import { parsePath, type DataPath, type JsonObject } from '@toolquake/sdk/core';
import { answerData, answerText, blocksOf } from '../../core/answer-data.js';
import type { RpcErrorObject, RpcOutcome } from '../../core/connection.js';
import type { CanaryMeasurement } from '../../probes/canary-call.js';

/** All that can be asked about it. */
export type Answer = {
  readonly result: JsonObject;
  readonly data: unknown;
  /** All that a reader would see: texts and structured content. */
  readonly text: string;
  readonly blocks: readonly JsonObject[];
  /** An error of the protocol instead of a result. */
  readonly rpcError: RpcErrorObject | undefined;
  readonly durationMs: number;
  /** Now, since 1970. */
  readonly wallClockMs: number;
  /** The entry of the tool in the list. */
  readonly tool: JsonObject | undefined;
  readonly ignore: readonly DataPath[];
  readonly again: RpcOutcome | undefined;
  readonly walks: readonly (readonly RpcOutcome[])[];
};

/** Reads a measurement. */
export function answerOf(
  { canary, outcome, durationMs, again, walks = [] }: CanaryMeasurement,
  tool: JsonObject | undefined,
  wallClockMs: number,
): Answer {
  const result = outcome.kind === 'result' ? outcome.result : {};
  const { structuredContent } = result;
  return {
    result,
    data: answerData(result),
    text: `${answerText(result)}\n${structuredContent === undefined ? '' : JSON.stringify(structuredContent)}`,
    blocks: blocksOf(result),
    rpcError: outcome.kind === 'error' ? outcome.error : undefined,
    durationMs,
    wallClockMs,
    tool,
    ignore: (canary.expect.ignore ?? []).map(parsePath).filter((path) => path !== undefined),
    again,
    walks,
  };
}
