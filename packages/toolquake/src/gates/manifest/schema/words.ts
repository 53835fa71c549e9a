/** The words of JSON Schema, by what stands behind them: what can be walked without knowing what it means. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';

/** A schema behind the word. */
export const SCHEMA_WORDS: readonly string[] = [
  'additionalProperties',
  'additionalItems',
  'unevaluatedProperties',
  'unevaluatedItems',
  'items',
  'contains',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'contentSchema',
];
/** A list of schemas behind the word; `items` may be one, too. */
export const LIST_WORDS: readonly string[] = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items'];
/** Schemas by name behind the word. */
export const MAP_WORDS: readonly string[] = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies'];

/** Words that people and models read. They change no verdict about any value. */
export const TEXT_WORDS: readonly string[] = ['title', 'description', 'examples', '$comment'];
/** What else changes no verdict: it is compared on its own, or not worth a word. */
export const REMARK_WORDS: readonly string[] = ['default', 'deprecated', 'readOnly', 'writeOnly', 'x-mcp-header'];

/** A schema inside another, with the steps that lead to it. */
export type Inner = { readonly steps: readonly (string | number)[]; readonly schema: unknown };

/** The schemas that stand directly inside one. */
export function innerSchemas(schema: JsonObject): readonly Inner[] {
  const found: Inner[] = [];
  for (const word of Object.keys(schema)) {
    const value = schema[word];
    if (SCHEMA_WORDS.includes(word) && !Array.isArray(value)) found.push({ steps: [word], schema: value });
    else if (LIST_WORDS.includes(word) && Array.isArray(value)) {
      for (const [index, one] of value.entries()) found.push({ steps: [word, index], schema: one });
    } else if (MAP_WORDS.includes(word) && isObject(value)) {
      for (const name of Object.keys(value)) found.push({ steps: [word, name], schema: value[name] });
    }
  }
  return found;
}

/** An own member; never one that every object inherits. */
export const own = (object: JsonObject, key: string): unknown => (Object.hasOwn(object, key) ? object[key] : undefined);
