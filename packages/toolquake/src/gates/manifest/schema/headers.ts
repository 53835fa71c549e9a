/** Arguments that modern clients send as headers, so that routers need not read bodies (`x-mcp-header`). */
import { isObject, type JsonObject } from '@toolquake/sdk/core';
import type { SchemaChange } from './walk.js';
import { own } from './words.js';

const TOKEN = /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$/;
const PLAIN_TYPES: readonly unknown[] = ['string', 'integer', 'boolean'];
const MAX_DEPTH = 32;

type Header = { readonly steps: readonly (string | number)[]; readonly name: unknown; readonly isValid: boolean };

/** Every header that a schema asks for, by pointer. Only what is reached through `properties` counts. */
function headersOf(schema: unknown): ReadonlyMap<string, Header> {
  const found = new Map<string, Header>();
  const names = new Set<string>();
  const visit = (inner: unknown, steps: readonly (string | number)[]): void => {
    if (!isObject(inner) || steps.length > 2 * MAX_DEPTH) return;
    const name = own(inner, 'x-mcp-header');
    if (name !== undefined) {
      const isValid = typeof name === 'string' && TOKEN.test(name) && PLAIN_TYPES.includes(inner['type']) && !names.has(name.toLowerCase());
      if (typeof name === 'string') names.add(name.toLowerCase());
      found.set(steps.join('/'), { steps, name, isValid });
    }
    const properties = own(inner, 'properties');
    if (isObject(properties)) for (const key of Object.keys(properties)) visit(properties[key], [...steps, 'properties', key]);
  };
  visit(schema, []);
  return found;
}

/** What became of the headers. A header under another name is gone and come at once, which its clients notice the same. */
export function compareHeaders(oldSchema: JsonObject, newSchema: JsonObject): readonly SchemaChange[] {
  const [before, after] = [headersOf(oldSchema), headersOf(newSchema)];
  const changes: SchemaChange[] = [];
  for (const [key, { steps, name, isValid }] of after) {
    const known = before.get(key);
    const place = [...steps, 'x-mcp-header'];
    if (!isValid && known?.isValid !== false) changes.push({ kind: 'header-invalid', steps: place, before: known?.name, after: name });
    else if (isValid && known?.name !== name) changes.push({ kind: 'header-added', steps: place, before: known?.name, after: name });
  }
  for (const [key, { steps, name }] of before) {
    if (!after.has(key)) changes.push({ kind: 'header-removed', steps: [...steps, 'x-mcp-header'], before: name });
  }
  return changes;
}
