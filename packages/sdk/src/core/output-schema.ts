/**
 * As much JSON Schema as it takes to know what a tool promises about a member. Schemas come from a server, so nothing
 * in them is trusted: depth is bounded, and patterns are left alone (a hostile one could keep us busy for ever).
 */
import { canonicalJson } from './call-key.js';
import type { DataPath } from './data-path.js';
import { isObject, type JsonObject } from './message.js';

const MAX_DEPTH = 24;
/** Branches looked at per choice, and schemas visited per question: a schema that refers to itself can be endless. */
const MAX_BRANCHES = 8;
const MAX_VISITS = 1000;
/** Choices inside choices multiply, and every member of an answer asks anew. */
const MAX_CHOICES = 100;

type Visits = { left: number };
const visits = (left = MAX_VISITS): Visits => ({ left });

/** A schema with local references followed; undefined when there is none, or it says nothing that we understand. */
function resolve(root: JsonObject, schema: unknown, left: Visits = visits(), depth = 0): JsonObject | undefined {
  if (!isObject(schema)) return undefined;
  left.left--;
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  if (depth > MAX_DEPTH || !$ref.startsWith('#')) return undefined;
  let target: unknown = root;
  for (const step of $ref.slice(1).split('/').slice(1)) {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    target = isObject(target) && Object.hasOwn(target, name) ? target[name] : undefined;
  }
  return resolve(root, target, left, depth + 1);
}

/** The ways a schema can be met: itself, or the branches of its `anyOf` and `oneOf`. */
function branchesOf(root: JsonObject, schema: JsonObject, left: Visits = visits(MAX_CHOICES), depth = 0): readonly JsonObject[] {
  if (depth > 2 || left.left <= 0) return [schema];
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches: unknown = schema[word];
    if (!Array.isArray(branches)) continue;
    const resolved = branches
      .slice(0, MAX_BRANCHES)
      .map((branch: unknown) => resolve(root, branch, left))
      .filter((branch) => branch !== undefined);
    return resolved.flatMap((branch) => branchesOf(root, branch, left, depth + 1));
  }
  return [schema];
}

/** What a schema says of a place in the data. */
export type Promised = {
  /** The schema of what stands there. */
  readonly schema: JsonObject;
  /** True for a member that must be there. */
  readonly isRequired: boolean;
};

/** What the schema says about the place that a path leads to; undefined when it says nothing. */
export function promisedAt(root: JsonObject, path: DataPath): Promised | undefined {
  let found: Promised | undefined = { schema: resolve(root, root) ?? {}, isRequired: true };
  for (const step of path) {
    let next: Promised | undefined;
    for (const branch of branchesOf(root, found.schema)) {
      const { properties, items, required } = branch;
      if (typeof step !== 'string') {
        const schema = resolve(root, items);
        next ??= schema === undefined ? undefined : { schema, isRequired: true };
      } else if (isObject(properties) && Object.hasOwn(properties, step)) {
        const schema = resolve(root, properties[step]);
        next ??= schema === undefined ? undefined : { schema, isRequired: Array.isArray(required) && required.includes(step) };
      }
    }
    if (next === undefined) return undefined;
    found = next;
  }
  return found;
}

/** The values that a schema lists one by one, when it does. */
export function listedValues(root: JsonObject, schema: JsonObject): readonly unknown[] | undefined {
  const lists = branchesOf(root, schema).map((branch) => ('const' in branch ? [branch['const']] : branch['enum']));
  const values = lists.filter((list) => Array.isArray(list)).flat() as unknown[];
  return values.length === 0 || lists.some((list) => !Array.isArray(list)) ? undefined : values;
}

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  array: Array.isArray,
  boolean: (value) => typeof value === 'boolean',
  integer: (value) => Number.isInteger(value),
  null: (value) => value === null,
  number: (value) => typeof value === 'number',
  object: isObject,
  string: (value) => typeof value === 'string',
};

/** Is the value of this type? Undefined for what is no type of JSON Schema. */
export const isJsonType = (name: unknown, value: unknown): boolean | undefined =>
  typeof name !== 'string' || !Object.hasOwn(TYPES, name) ? undefined : TYPES[name]!(value);

const isType = (name: unknown, value: unknown): boolean => isJsonType(name, value) !== false;

/** May this value stand where the schema is? True where the schema says nothing that we understand. */
export function accepts(root: JsonObject, given: unknown, value: unknown, left: Visits = visits(), depth = 0): boolean {
  const schema = left.left <= 0 ? undefined : resolve(root, given, left);
  if (schema === undefined || depth > MAX_DEPTH) return given !== false;
  const { type } = schema;
  if (type !== undefined && !(Array.isArray(type) ? type.some((one) => isType(one, value)) : isType(type, value))) return false;
  if (Array.isArray(schema['enum']) && !isAmong(schema['enum'], value)) return false;
  if ('const' in schema && !isAmong([schema['const']], value)) return false;
  const { anyOf, oneOf, allOf } = schema;
  for (const some of [anyOf, oneOf]) {
    if (Array.isArray(some) && !some.some((branch: unknown) => accepts(root, branch, value, left, depth + 1))) return false;
  }
  if (Array.isArray(allOf) && !allOf.every((branch: unknown) => accepts(root, branch, value, left, depth + 1))) return false;
  if (typeof value === 'number') return isWithin(schema, value);
  if (typeof value === 'string') return isWithinLength(schema, value.length);
  if (Array.isArray(value)) return value.every((item: unknown) => accepts(root, schema['items'], item, left, depth + 1));
  return !isObject(value) || acceptsMembers(root, schema, value, left, depth);
}

/** The value is written out once: it can be megabytes, and the list thousands of values long. */
function isAmong(listed: readonly unknown[], value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return listed.includes(value);
  const written = canonicalJson(value);
  return listed.some((one) => typeof one === 'object' && one !== null && canonicalJson(one) === written);
}

function isWithin(schema: JsonObject, value: number): boolean {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (typeof minimum === 'number' && value < minimum) return false;
  if (typeof maximum === 'number' && value > maximum) return false;
  if (typeof exclusiveMinimum === 'number' && value <= exclusiveMinimum) return false;
  return typeof exclusiveMaximum !== 'number' || value < exclusiveMaximum;
}

function isWithinLength({ minLength, maxLength }: JsonObject, length: number): boolean {
  return !(typeof minLength === 'number' && length < minLength) && !(typeof maxLength === 'number' && length > maxLength);
}

function acceptsMembers(root: JsonObject, schema: JsonObject, value: JsonObject, left: Visits, depth: number): boolean {
  const { properties, required, additionalProperties } = schema;
  if (Array.isArray(required) && required.some((name) => typeof name === 'string' && !Object.hasOwn(value, name))) return false;
  return Object.entries(value).every(([name, part]) =>
    isObject(properties) && Object.hasOwn(properties, name)
      ? accepts(root, properties[name], part, left, depth + 1)
      : additionalProperties !== false,
  );
}

/** The least that a schema is content with, for an answer that nobody gave; undefined when it asks for nothing we can make. */
export function leastOf(root: JsonObject, given: unknown = root, left: Visits = visits(), depth = 0): unknown {
  const schema = resolve(root, given);
  if (schema === undefined || depth > 8 || left.left-- <= 0) return undefined;
  const branch = branchesOf(root, schema)[0] ?? schema;
  const listed = listedValues(root, branch);
  if (listed !== undefined) return listed[0];
  const type: unknown = Array.isArray(branch['type']) ? branch['type'][0] : branch['type'];
  const { properties, required, minimum, minLength } = branch;
  if (type === 'string') return 'ok'.padEnd(typeof minLength === 'number' && minLength < 256 ? minLength : 0, '0');
  if (type === 'integer' || type === 'number') return typeof minimum === 'number' ? minimum : 1;
  if (type === 'boolean') return true;
  if (type === 'array') return [];
  if (type !== 'object' && !isObject(properties)) return undefined;
  const names = Array.isArray(required) ? required.filter((name): name is string => typeof name === 'string') : [];
  const members = names.map(
    (name) => [name, isObject(properties) ? leastOf(root, ownOf(properties, name), left, depth + 1) : undefined] as const,
  );
  return Object.fromEntries(members.map(([name, value]) => [name, value ?? null]));
}

const ownOf = (owner: JsonObject, name: string): unknown => (Object.hasOwn(owner, name) ? owner[name] : undefined);
