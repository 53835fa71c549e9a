/** The output schema of simulated tools, and how an agent holds a result against it. */
import { isObject } from '@toolquake/sdk/core';

/** A JSON Schema. */
export type ReadingShape = {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, object>>;
  readonly required: readonly string[];
  /** Nothing else: an answer with a new member is an answer in another shape. */
  readonly additionalProperties: false;
};

const plain: ReadingShape = {
  type: 'object',
  properties: { tool: { type: 'string' }, reading: { type: 'integer' } },
  required: ['tool', 'reading'],
  additionalProperties: false,
};
const list: ReadingShape = {
  type: 'object',
  properties: { ...plain.properties, items: { type: 'array' }, total: { type: 'integer' } },
  required: ['tool', 'reading', 'items', 'total'],
  additionalProperties: false,
};

/** What every tool promises to answer: a reading, or a list with its total. */
export const JSON_READING = { plain, list } as const;

/** Does a result keep to the schema? Undefined when it is not a result. `hasItems`: the tool lists something. */
export function isConformant(result: unknown, hasItems = false): boolean | undefined {
  if (!isObject(result) || result['isError'] === true) return undefined;
  const structured = result['structuredContent'];
  if (!isObject(structured) || typeof structured['tool'] !== 'string' || !Number.isInteger(structured['reading'])) return false;
  const { properties } = hasItems ? list : plain;
  if (!Object.keys(structured).every((name) => Object.hasOwn(properties, name))) return false;
  return !hasItems || (Array.isArray(structured['items']) && Number.isInteger(structured['total']));
}

/** Is there anything in it to go on with, and is it all of it? */
export function isUsable(result: unknown): boolean {
  if (!isObject(result) || !Array.isArray(result['content']) || result['content'].length === 0) return false;
  const structured = result['structuredContent'];
  if (!isObject(structured) || !Array.isArray(structured['items'])) return true;
  return structured['total'] === undefined || structured['total'] === structured['items'].length;
}
