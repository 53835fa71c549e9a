/** What is wrong with the answer to a known call: first what nobody would accept, then what is expected of this one. */
import { isObject, keepsSchema, type JsonObject } from '@toolquake/sdk/core';
import { reasonOfRpcError } from '../core/connection.js';
import type { Finding } from '../core/probe-report.js';
import type { CanaryMeasurement } from '../probes/canary-call.js';
import { answerOf, type Answer } from './golden/answer.js';
import { judgeWords, type Judged } from './golden/catalogue.js';
import { shown } from './golden/shown.js';

/** A finding, the word that it broke (none: it is no good answer to anything), and how much it weighs. */
export type Verdict = Pick<Finding, 'reason' | 'rpcCode' | 'httpStatus'> & {
  readonly word: string | undefined;
  readonly says: string;
  readonly weight: 'hard' | 'soft' | 'undecided';
};

/** Everything that is wrong. `tool` is its entry in the list; `wallClockMs` is now, since 1970. */
export function judgeAnswer(measurement: CanaryMeasurement, tool: JsonObject | undefined, wallClockMs: number): readonly Verdict[] {
  const { expect, asks } = measurement.canary;
  const answer = answerOf(measurement, tool, wallClockMs);
  const general = expect.error === undefined ? judgeGenerally(answer, tool, asks ?? 'tool') : undefined;
  return general === undefined ? judgeWords(expect, answer).map(verdictOf) : [general];
}

const verdictOf = ({ word, says, reason = 'canary_assertion_failed', weight }: Judged): Verdict => ({
  // What nobody can tell says nothing about the server.
  reason: weight === 'undecided' ? 'probe_config_error' : reason,
  word,
  says,
  weight: weight ?? 'hard',
});

function judgeGenerally({ result, rpcError, text }: Answer, tool: JsonObject | undefined, asks: string): Verdict | undefined {
  const found = (reason: Finding['reason'], says: string): Verdict => ({ reason, says, word: undefined, weight: 'hard' });
  if (rpcError !== undefined) {
    const { code, message, httpStatus } = rpcError;
    return { ...found(reasonOfRpcError(rpcError), `error ${code}: ${shown(message)}`), rpcCode: code, httpStatus };
  }
  if (result['resultType'] === 'input_required') return found('canary_input_required', 'the answer asks for input');
  if (result['isError'] === true) return found('canary_tool_error', `the tool reports an error: ${shown(text.trim())}`);
  const { structuredContent } = result;
  const content = result[{ tool: 'content', prompt: 'messages', resource: 'contents' }[asks] ?? 'content'];
  if (!Array.isArray(content) && structuredContent === undefined) return found('result_schema_invalid', 'the result has no content');
  if ((!Array.isArray(content) || content.length === 0) && structuredContent === undefined)
    return found('canary_empty_result', 'the content is empty');
  const schema = tool?.['outputSchema'];
  if (!isObject(schema)) return undefined;
  if (structuredContent === undefined)
    return found('canary_output_schema_invalid', 'the tool promises structured content, and there is none');
  return keepsSchema(schema, structuredContent) === false
    ? found('canary_output_schema_invalid', 'the structured content violates the outputSchema of the tool')
    : undefined;
}
