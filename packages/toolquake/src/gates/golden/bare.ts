/** Does a wanted value want anything? */
import { isObject } from '@toolquake/sdk/core';

/** Only members without an end: `{}`, `{ a: {} }`, `[{}]`. An empty list says that there is nothing, which is something. */
export function isBare(value: unknown): boolean {
  if (Array.isArray(value)) return value.length > 0 && value.every(isBare);
  if (isObject(value)) return Object.values(value).every(isBare);
  // Items of a list that are ignored stand as null, too.
  return value === undefined || value === null;
}
