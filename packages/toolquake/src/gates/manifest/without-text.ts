/** A definition without what only people and models read: what is left is the contract. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import { LIST_WORDS, MAP_WORDS, SCHEMA_WORDS, TEXT_WORDS } from './schema/words.js';

/** A schema without its texts. A property that is called "description" stays: it is no text. */
export function withoutText(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const kept = Object.keys(schema).flatMap((word): readonly (readonly [string, unknown])[] => {
    const value = schema[word];
    if (TEXT_WORDS.includes(word)) return [];
    if (LIST_WORDS.includes(word) && Array.isArray(value)) return [[word, value.map(withoutText)]];
    if (SCHEMA_WORDS.includes(word)) return [[word, withoutText(value)]];
    if (MAP_WORDS.includes(word) && isObject(value)) return [[word, mapped(value)]];
    return [[word, value]];
  });
  return Object.fromEntries(kept);
}

const mapped = (schemas: JsonObject): JsonObject =>
  Object.fromEntries(Object.keys(schemas).map((name) => [name, withoutText(schemas[name])]));

/** A tool without its texts: name, schemas, promises about its effects, how it runs. */
export function contractOfTool(tool: JsonObject): JsonObject {
  const annotations = isObject(tool['annotations']) ? { ...tool['annotations'] } : undefined;
  if (annotations !== undefined) delete annotations['title'];
  return {
    name: tool['name'],
    inputSchema: withoutText(tool['inputSchema']),
    outputSchema: withoutText(tool['outputSchema']),
    annotations,
    execution: tool['execution'],
  };
}
