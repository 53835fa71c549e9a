/** A new recording in the place of an older one. Pure. */
import { isObject, type JsonObject } from '@toolquake/sdk/core';

/** Words that recordings write; the others were chosen by people, and stay. */
const RECORDED = ['exact', 'hash', 'contains', 'kinds', 'types', 'times', 'ignore', 'error', 'outputSchema'];
const BODIES = ['exact', 'hash', 'data', 'contains', 'error'];

/** The new expectation; undefined when the older one holds nothing that was recorded, so that only people can change it. */
export function mergeExpectation(before: JsonObject, recorded: JsonObject): JsonObject | undefined {
  const body = BODIES.find((word) => before[word] !== undefined);
  if (body === undefined) return undefined;
  if (body === 'data') {
    // Only the members that somebody chose: the others are free.
    return recorded['exact'] === undefined ? undefined : { ...before, data: sameMembers(before['data'], recorded['exact']) };
  }
  if (body === 'contains' && recorded['contains'] === undefined) return undefined;
  const own = Object.entries(before).filter(([word]) => !RECORDED.includes(word));
  return { ...recorded, ...Object.fromEntries(own) };
}

function sameMembers(wanted: unknown, data: unknown): unknown {
  if (!isObject(wanted) || !isObject(data)) return data;
  return Object.fromEntries(
    Object.entries(wanted).flatMap(([name, value]) => (Object.hasOwn(data, name) ? [[name, sameMembers(value, data[name])]] : [])),
  );
}
