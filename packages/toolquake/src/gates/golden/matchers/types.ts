import { isObject } from '@toolquake/sdk/core';
import { atPaths, checkPaths, defineMatcher } from '../matcher.js';

const TYPES: Readonly<Record<string, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  boolean: (value) => typeof value === 'boolean',
  list: Array.isArray,
  object: isObject,
  null: (value) => value === null,
};

/** The kind of value alone. */
export const types = defineMatcher({
  word: 'types',
  field: {
    kind: 'map',
    item: { kind: 'word', words: Object.keys(TYPES), about: 'A type.' },
    about: 'By path: the type alone (text, number, integer, boolean, list, object, null).',
  },
  example: '{ id: text, took_ms: number }',
  isStable: () => false,
  check: (given, path, reader) => checkPaths(Object.keys(given), path, reader),
  judge: (given, answer) =>
    atPaths(given, answer, (value, type, path) =>
      TYPES[type]?.(value) === true ? undefined : `${path} is ${typeOf(value)}, ${type} expected`,
    ),
});

/** The type of a value, in the words of `types`. */
export const typeOf = (value: unknown): string => Object.keys(TYPES).find((type) => type !== 'integer' && TYPES[type]!(value)) ?? 'no JSON';
