/** Fixtures as the first articles wrote them: `{ tool, input, expectations: { total_results: { min: 1 } } }`, in a list. */
import { isObject, type JsonObject, type PlanPath, type ValueReader } from '@toolquake/sdk/core';

/** A list of fixtures, or one of them under "fixtures", that speak of expectations. */
export const isSeedFile = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.some((one) => isObject(one) && (Object.hasOwn(one, 'expectations') || Object.hasOwn(one, 'input')));

const TYPES: Readonly<Record<string, string>> = {
  object: 'object',
  array: 'list',
  string: 'text',
  number: 'number',
  integer: 'integer',
  boolean: 'boolean',
  null: 'null',
};
const WORDS = ['type', 'min', 'max', 'minLength', 'maxLength', 'includes', 'matches'];

/** The same as a fixture file. Problems point into the original. */
export function importSeedFixtures(reader: ValueReader, given: readonly unknown[]): JsonObject {
  return { fixtures: given.map((one, index) => fixtureOf(reader, one, [index])) };
}

function fixtureOf(reader: ValueReader, given: unknown, path: PlanPath): JsonObject {
  const fixture = reader.object(given, path, ['name', 'tool', 'input', 'expectations', 'owner', 'mayWrite']) ?? {};
  const { name, tool, input, expectations, owner, mayWrite } = fixture;
  const read = reader.object(expectations ?? {}, [...path, 'expectations'], isObject(expectations) ? Object.keys(expectations) : []) ?? {};
  const expect = new Map<string, Map<string, unknown>>();
  for (const [key, wanted] of Object.entries(read)) {
    const at = [...path, 'expectations', key];
    // "type" with a word is about the whole; with a mapping it is a member of that name.
    if (key === 'type' && typeof wanted === 'string') addWords(reader, expect, '$', { type: wanted }, [...path, 'expectations']);
    else addWords(reader, expect, pathOf(key), reader.object(wanted, at, WORDS) ?? {}, at);
  }
  const words = [...expect].map(([word, byPath]) => [word, Object.fromEntries(byPath)] as const);
  const own = { name, tool, arguments: input, owner, mayWrite, expect: Object.fromEntries(words) };
  return Object.fromEntries(Object.entries(own).filter(([, value]) => value !== undefined));
}

function addWords(reader: ValueReader, expect: Map<string, Map<string, unknown>>, place: string, wanted: JsonObject, at: PlanPath): void {
  const put = (word: string, value: unknown): void => {
    const byPath = expect.get(word) ?? new Map<string, unknown>();
    expect.set(word, byPath.set(place, value));
  };
  const { type, min, max, minLength, maxLength, includes, matches } = wanted;
  if (type !== undefined) {
    const word = reader.word(type, [...at, 'type'], Object.keys(TYPES));
    if (word !== undefined) put('types', TYPES[word]);
  }
  if (min !== undefined || max !== undefined) put('range', ends(min, max));
  if (minLength !== undefined || maxLength !== undefined) put('length', ends(minLength, maxLength));
  if (includes !== undefined) put('includes', includes);
  if (matches !== undefined) put('matches', matches);
}

const ends = (min: unknown, max: unknown): JsonObject => ({ ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }) });

/** `results_0_title` is `results[0].title`: a number between underscores is an index. Other names stay as they are. */
export function pathOf(key: string): string {
  const [first = '', ...rest] = key.split(/_(\d{1,9})(?=_|$)/);
  if (first === '' || rest.length === 0) return key;
  return rest.reduce(
    (path, part, index) => (index % 2 === 0 ? `${path}[${part}]` : part === '' ? path : `${path}.${part.replace(/^_/, '')}`),
    first,
  );
}
