/** `Mcp-Param-*`: arguments that a tool wants to see in headers, too, by the `x-mcp-header` annotations of its schema. Pure. */
import { isObject, nameHeaderValue, type JsonObject } from '@toolquake/sdk/core';

/** Per tool, the header names and the paths of the arguments that they repeat. */
export type ParamBook = Map<string, ReadonlyMap<string, readonly string[]>>;

/** Deeper than any sensible schema; it comes from the server. */
const MAX_DEPTH = 16;

export const paramHeaders = {
  /** Remembers the annotations of a listed tool. */
  learn(book: ParamBook, { name, inputSchema }: JsonObject): void {
    if (typeof name !== 'string') return;
    const found = new Map<string, readonly string[]>();
    collect(inputSchema, [], found);
    if (found.size > 0) book.set(name, found);
  },

  /** The headers for a call with these parameters. */
  headersFor(book: ParamBook, params: JsonObject | undefined): Readonly<Record<string, string>> {
    const known = book.get(String(params?.['name']));
    const headers: Record<string, string> = {};
    for (const [header, path] of known ?? []) {
      const value = path.reduce<unknown>((object, step) => (isObject(object) ? object[step] : undefined), params?.['arguments']);
      if (typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isSafeInteger(value))) {
        headers[`mcp-param-${header.toLowerCase()}`] = nameHeaderValue(String(value));
      }
    }
    return headers;
  },
};

function collect(schema: unknown, path: readonly string[], found: Map<string, readonly string[]>): void {
  if (!isObject(schema) || path.length > MAX_DEPTH) return;
  const header = schema['x-mcp-header'];
  // A name that is no token of HTTP is an illegal annotation: the tool is judged for it elsewhere.
  if (path.length > 0 && typeof header === 'string' && /^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}$/.test(header)) found.set(header, path);
  const { properties } = schema;
  if (isObject(properties)) for (const [name, inner] of Object.entries(properties)) collect(inner, [...path, name], found);
}
