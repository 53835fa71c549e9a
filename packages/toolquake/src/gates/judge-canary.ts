/** Does the answer to a canary call look as it should? */
import { isObject, keepsSchema, parsePath, placesAt, writableValue, type JsonObject } from '@toolquake/sdk/core';
import { reasonOfRpcError } from '../core/connection.js';
import type { Expectation } from '../core/expectation.js';
import type { Finding } from '../core/probe-report.js';
import type { CanaryMeasurement } from '../probes/canary-call.js';

type Judge = (reason: Finding['reason'], detail: string) => Finding;

/** The first thing that is wrong, or nothing. `tool` is its entry in the list; `wallClockMs` is now, since 1970. */
export function judgeCanary(
  { canary, outcome }: CanaryMeasurement,
  tool: JsonObject | undefined,
  wallClockMs: number,
): Finding | undefined {
  const found: Judge = (reason, detail) => ({ reason, step: 'call', detail: `${canary.name}: ${detail}` });
  if (outcome.kind === 'error') {
    const { code, message, httpStatus } = outcome.error;
    return { ...found(reasonOfRpcError(outcome.error), `error ${code}: ${shown(message)}`), rpcCode: code, httpStatus };
  }
  const { result } = outcome;
  if (result['resultType'] === 'input_required') return found('canary_input_required', 'the answer asks for input');
  if (result['isError'] === true) return found('canary_tool_error', `the tool reports an error: ${shown(textOf(result))}`);
  const { content, structuredContent } = result;
  if (!Array.isArray(content) && structuredContent === undefined) return found('result_schema_invalid', 'the result has no content');
  if ((!Array.isArray(content) || content.length === 0) && structuredContent === undefined)
    return found('canary_empty_result', 'the content is empty');
  return judgeSchema(result, tool, found) ?? judgeExpectation(result, canary.expect, wallClockMs, found);
}

function judgeSchema({ structuredContent }: JsonObject, tool: JsonObject | undefined, found: Judge): Finding | undefined {
  const schema = tool?.['outputSchema'];
  if (!isObject(schema)) return undefined;
  if (structuredContent === undefined)
    return found('canary_output_schema_invalid', 'the tool promises structured content, and there is none');
  return keepsSchema(schema, structuredContent) === false
    ? found('canary_output_schema_invalid', 'the structured content violates the outputSchema of the tool')
    : undefined;
}

function judgeExpectation(result: JsonObject, expect: Expectation, wallClockMs: number, found: Judge): Finding | undefined {
  const data = dataOf(result);
  const text = `${textOf(result)}\n${result['structuredContent'] === undefined ? '' : JSON.stringify(result['structuredContent'])}`;
  for (const [path, least] of Object.entries(expect.least ?? {})) {
    const value = valueAt(data, path);
    const size = Array.isArray(value) ? value.length : value;
    if (typeof size !== 'number') return found('canary_assertion_failed', `${path} is no number and no list`);
    if (size < least)
      return found(size === 0 ? 'canary_empty_result' : 'canary_assertion_failed', `${path} is ${size}, at least ${least} expected`);
  }
  for (const part of expect.contains ?? [])
    if (!text.includes(part)) return found('canary_assertion_failed', `the answer does not contain ${shown(part)}`);
  for (const part of expect.notContains ?? [])
    if (text.includes(part)) return found('canary_assertion_failed', `the answer contains ${shown(part)}`);
  const differs = expect.data === undefined ? undefined : firstDifference(expect.data, data, '');
  if (differs !== undefined) return found('canary_assertion_failed', differs);
  return expect.newest === undefined ? undefined : judgeAge(valueAt(data, expect.newest.path), expect.newest, wallClockMs, found);
}

function judgeAge(
  value: unknown,
  { path, withinMs }: NonNullable<Expectation['newest']>,
  wallClockMs: number,
  found: Judge,
): Finding | undefined {
  const at = typeof value === 'number' ? (value < 1e11 ? value * 1000 : value) : typeof value === 'string' ? Date.parse(value) : Number.NaN;
  if (Number.isNaN(at)) return found('canary_assertion_failed', `${path} is no time`);
  const ageMs = wallClockMs - at;
  return ageMs <= withinMs
    ? undefined
    : found('canary_stale', `${path} is ${Math.round(ageMs / 1000)} s old, at most ${Math.round(withinMs / 1000)} s expected`);
}

/** What the answer holds: its structured content, or the JSON in its text. */
function dataOf(result: JsonObject): unknown {
  if (result['structuredContent'] !== undefined) return result['structuredContent'];
  try {
    return JSON.parse(textOf(result)) as unknown;
  } catch {
    return undefined;
  }
}

function textOf({ content }: JsonObject): string {
  if (!Array.isArray(content)) return '';
  return content.flatMap((block: unknown) => (isObject(block) && typeof block['text'] === 'string' ? [block['text']] : [])).join('\n');
}

function valueAt(data: unknown, path: string): unknown {
  const steps = parsePath(path);
  return steps === undefined ? undefined : placesAt(data, steps)[0]?.value;
}

/** Where data does not hold what is wanted; undefined when it does. */
function firstDifference(wanted: unknown, data: unknown, path: string): string | undefined {
  const at = path === '' ? 'the data' : path;
  if (Array.isArray(wanted)) {
    if (!Array.isArray(data)) return `${at} is no list`;
    if (data.length !== wanted.length) return `${at} has ${data.length} items, ${wanted.length} expected`;
    for (const [index, item] of wanted.entries()) {
      const difference = firstDifference(item, data[index], `${path}[${index}]`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  if (isObject(wanted)) {
    if (!isObject(data)) return `${at} is no object`;
    for (const [name, value] of Object.entries(wanted)) {
      const inner = path === '' ? name : `${path}.${name}`;
      if (!Object.hasOwn(data, name)) return `${inner} is missing`;
      const difference = firstDifference(value, data[name], inner);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return Object.is(wanted, data) ? undefined : `${at} is ${shown(data)}, ${shown(wanted)} expected`;
}

/** A value as a few letters without secrets. */
function shown(value: unknown): string {
  const written = writableValue(typeof value === 'object' && value !== null ? JSON.stringify(value) : value);
  const text = typeof written === 'string' ? JSON.stringify(written) : String(written);
  return text.length > 160 ? `${text.slice(0, 160)}...` : text;
}
