/** Arguments of a workload that name the operation they belong to, as callers with an idempotency key do. */
import type { JsonObject } from '@toolquake/sdk/core';

/** What stands in a text for the name of the operation: another one for each operation, the same for all its retries. */
export const OPERATION = '{operation}';

/** Fills these arguments for one operation after the other; members that no operation is named in are shared, not copied. */
export function fillArguments(template: JsonObject): (operation: string) => JsonObject {
  if (!JSON.stringify(template).includes(OPERATION)) return () => template;
  // An object stays one.
  return (operation) => filled(template, operation) as JsonObject;
}

function filled(value: unknown, operation: string): unknown {
  if (typeof value === 'string') return value.replaceAll(OPERATION, operation);
  if (Array.isArray(value)) return value.map((item: unknown) => filled(item, operation));
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, filled(member, operation)]));
}
