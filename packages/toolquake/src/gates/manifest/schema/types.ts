/** The types that a schema lets pass, as a set of bits: number is cut in whole numbers and the rest. */
import { isObject } from '@toolquake/sdk/core';
import { viewOf, type SchemaRoot, type View } from './view.js';

/** One bit per type. */
export const TYPE = { null: 1, boolean: 2, object: 4, array: 8, string: 16, integer: 32, fraction: 64 } as const;

/** Every type. */
const ANY_TYPE = 127;
/** Whole or not. */
export const NUMBER = TYPE.integer | TYPE.fraction;

const BY_NAME: Readonly<Record<string, number>> = {
  null: TYPE.null,
  boolean: TYPE.boolean,
  object: TYPE.object,
  array: TYPE.array,
  string: TYPE.string,
  integer: TYPE.integer,
  number: NUMBER,
};

/** The bit of a value. */
export function typeOfValue(value: unknown): number {
  if (value === null) return TYPE.null;
  if (Array.isArray(value)) return TYPE.array;
  if (typeof value === 'number') return Number.isInteger(value) ? TYPE.integer : TYPE.fraction;
  return isObject(value) ? TYPE.object : (BY_NAME[typeof value] ?? 0);
}

/** What the word `type` says; undefined when it cannot be read. */
export function typesOfWord(given: unknown): number | undefined {
  if (given === undefined) return ANY_TYPE;
  const names: readonly unknown[] = Array.isArray(given) ? given : [given];
  let mask = 0;
  for (const name of names) {
    if (typeof name !== 'string' || !Object.hasOwn(BY_NAME, name)) return undefined;
    mask |= BY_NAME[name]!;
  }
  return mask;
}

/** Choices inside choices are looked into this far; below it, every type may come. */
const MAX_CHOICES_DEPTH = 8;

/** Every type that may pass: never too few, sometimes too many. Each view is looked at once, so hostile choices cost no more than others. */
export function typesOf(root: SchemaRoot, view: View, depth = 0): number {
  if (view.accepts === 'none') return 0;
  if (view.accepts === 'all' || view.unresolved !== undefined) return ANY_TYPE;
  const known = root.types.get(view);
  if (known !== undefined || depth > MAX_CHOICES_DEPTH) return known ?? ANY_TYPE;
  // Whoever asks for it on the way, in a schema that contains itself, gets every type.
  root.types.set(view, ANY_TYPE);
  const { words } = view;
  let mask = typesOfWord(words['type']) ?? ANY_TYPE;
  if (Array.isArray(words['enum'])) mask &= words['enum'].reduce<number>((sum, value) => sum | typeOfValue(value), 0);
  if ('const' in words) mask &= typeOfValue(words['const']);
  const ofPart = (part: unknown): number => typesOf(root, viewOf(root, part), depth + 1);
  for (const word of ['anyOf', 'oneOf'] as const) {
    const branches: unknown = words[word];
    if (Array.isArray(branches)) mask &= branches.reduce<number>((sum, branch) => sum | ofPart(branch), 0);
  }
  const all: unknown = words['allOf'];
  if (Array.isArray(all)) for (const part of all) mask &= ofPart(part);
  root.types.set(view, mask);
  return mask;
}

/** Names of types for people. */
export function typeNames(mask: number): readonly string[] {
  if (mask === ANY_TYPE) return ['any'];
  const names = Object.entries(TYPE).flatMap(([name, bit]) => (bit < TYPE.integer && (mask & bit) !== 0 ? [name] : []));
  if ((mask & NUMBER) === NUMBER) return [...names, 'number'];
  if ((mask & TYPE.integer) !== 0) return [...names, 'integer'];
  return (mask & TYPE.fraction) !== 0 ? [...names, 'number'] : names;
}
