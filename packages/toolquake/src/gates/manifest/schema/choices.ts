/** Schemas made of schemas: anyOf, oneOf, allOf. */
import { isObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { typesOf } from './types.js';
import { viewOf, type SchemaRoot } from './view.js';
import { descend, isCovered, tell, type Place } from './walk.js';
import { own } from './words.js';

/** More branches than this are only compared when they stand in the same order. */
const MAX_BRANCHES = 64;

/** Compares choices and conjunctions. */
export function compareChoices(place: Place): void {
  compareConjunctions(place);
  compareAlternatives(place);
}

type Branches = readonly unknown[];
/** Places in the two lists that belong together, and what is left over. */
type Pairing = {
  readonly pairs: readonly (readonly [number, number])[];
  readonly gone: readonly number[];
  readonly come: readonly number[];
};

/** Equal texts first, then what looks alike (type, constant, title), then by order. */
function pairUp(before: Branches, after: Branches): Pairing {
  const pairs: (readonly [number, number])[] = [];
  let gone = [...before.keys()];
  let come = [...after.keys()];
  const marks: readonly ((schema: unknown) => string | undefined)[] = [textOf, markOf, (schema) => typeMark(schema)];
  for (const mark of marks) {
    const places = new Map<string, number[]>();
    for (const index of come) {
      const text = mark(after[index]);
      if (text !== undefined) places.set(text, [...(places.get(text) ?? []), index]);
    }
    for (const index of gone) {
      const found = places.get(mark(before[index]) ?? '\u0000')?.shift();
      if (found === undefined) continue;
      pairs.push([index, found]);
      gone = gone.filter((one) => one !== index);
      come = come.filter((one) => one !== found);
    }
  }
  // What nothing tells apart, only when nothing was added or removed: else a removal would look like a change.
  if (gone.length === come.length) {
    pairs.push(...gone.map((index, place) => [index, come[place]!] as const));
    return { pairs, gone: [], come: [] };
  }
  return { pairs, gone, come };
}

const textOf = (schema: unknown): string => canonicalText(schema);

/** A reference, or the constant that tells one object from another. */
function markOf(schema: unknown): string | undefined {
  if (!isObject(schema)) return undefined;
  const reference = own(schema, '$ref');
  if (typeof reference === 'string') return `ref ${reference}`;
  const properties = own(schema, 'properties');
  if (!isObject(properties)) return undefined;
  for (const name of Object.keys(properties).sort()) {
    const property = properties[name];
    if (isObject(property) && 'const' in property) return `const ${name} ${canonicalText(property['const'])}`;
  }
  return undefined;
}

const typeMark = (schema: unknown): string | undefined =>
  isObject(schema) && 'type' in schema ? `type ${canonicalText(schema['type'])}` : undefined;

/** Every condition of the new schema must follow from the old one. */
function compareConjunctions(place: Place): void {
  const [before, after] = [listOf(place, 'allOf', 'old'), listOf(place, 'allOf', 'new')];
  if (before === undefined && after === undefined) return;
  const { pairs, gone, come } = pairUp(before ?? [], after ?? []);
  for (const [from, to] of pairs) descend(place, before![from], after![to], ['allOf', to]);
  for (const index of come) {
    if (!isCovered(place, place.before, after![index])) tell(place, 'all-of-added', ['allOf', index], undefined, after![index]);
  }
  for (const index of gone) {
    if (!isCovered(place, place.after, before![index], { isReversed: true }))
      tell(place, 'all-of-removed', ['allOf', index], before![index]);
  }
}

/** A list of schemas, if there is one; what is none is told once. */
function listOf({ before, after, ...place }: Place, word: string, which: 'old' | 'new'): Branches | undefined {
  const given = (which === 'old' ? before : after)[word];
  if (given === undefined || Array.isArray(given)) return given as Branches | undefined;
  if (canonicalText(before[word]) !== canonicalText(after[word]))
    tell({ before, after, ...place }, 'word-unreadable', [word], before[word], after[word]);
  return undefined;
}

function compareAlternatives(place: Place): void {
  const [oldAny, newAny, oldOne, newOne] = [
    listOf(place, 'anyOf', 'old'),
    listOf(place, 'anyOf', 'new'),
    listOf(place, 'oneOf', 'old'),
    listOf(place, 'oneOf', 'new'),
  ];
  // From "one of" to "any of" or back, where there is only one of them: the same alternatives, told apart or not.
  const [before, beforeWord] = choiceOf(oldAny, oldOne);
  const [after, afterWord] = choiceOf(newAny, newOne);
  if (before !== undefined && after !== undefined && beforeWord !== undefined && afterWord !== undefined) {
    compareBranches(place, before, after, afterWord);
    if (beforeWord === 'oneOf' || afterWord === 'oneOf') tellOverlap(place, before, after, beforeWord, afterWord);
    return;
  }
  for (const [word, from, to] of [
    ['anyOf', oldAny, newAny],
    ['oneOf', oldOne, newOne],
  ] as const) {
    if (from === undefined && to === undefined) continue;
    if (from === undefined) tellIntroduced(place, to!, word);
    else if (to === undefined) tellDropped(place, from, word);
    else compareBranches(place, from, to, word);
    if (word === 'oneOf') tellOverlap(place, from, to, 'oneOf', 'oneOf');
  }
}

/** The one choice that a schema has; nothing when it has none, or both kinds. */
function choiceOf(any: Branches | undefined, one: Branches | undefined): readonly [Branches | undefined, 'anyOf' | 'oneOf' | undefined] {
  if (any !== undefined && one === undefined) return [any, 'anyOf'];
  return one !== undefined && any === undefined ? [one, 'oneOf'] : [undefined, undefined];
}

function compareBranches(place: Place, before: Branches, after: Branches, word: 'anyOf' | 'oneOf'): void {
  if (Math.max(before.length, after.length) > MAX_BRANCHES && before.length !== after.length) {
    if (canonicalText(before) !== canonicalText(after)) tell(place, 'gave-up', [word]);
    return;
  }
  const { pairs, gone, come } = pairUp(before, after);
  for (const [from, to] of pairs) descend(place, before[from], after[to], [word, to]);
  for (const index of gone) {
    if (!after.some((branch) => isCovered(place, before[index], branch))) tell(place, 'branch-removed', [word, index], before[index]);
  }
  for (const index of come) {
    if (!before.some((branch) => isCovered(place, after[index], branch, { isReversed: true })))
      tell(place, 'branch-added', [word, index], undefined, after[index]);
  }
}

/** A choice where there was none narrows nothing, if all that was accepted meets one of its branches. */
function tellIntroduced(place: Place, branches: Branches, word: 'anyOf' | 'oneOf'): void {
  const isFree = branches.slice(0, MAX_BRANCHES).some((branch) => isCovered(place, place.before, branch));
  if (!isFree) tell(place, 'branches-added', [word], undefined, branches);
}

function tellDropped(place: Place, branches: Branches, word: 'anyOf' | 'oneOf'): void {
  const isFree = branches.slice(0, MAX_BRANCHES).some((branch) => isCovered(place, place.after, branch, { isReversed: true }));
  if (!isFree) tell(place, 'branches-removed', [word], branches);
}

/** With "oneOf" a value that meets two branches is refused, so more can be less. */
function tellOverlap(place: Place, before: Branches | undefined, after: Branches | undefined, beforeWord: string, afterWord: string): void {
  const isSafe = (root: SchemaRoot, branches: Branches | undefined, word: string): boolean =>
    branches === undefined || word === 'anyOf' || areApart(root, branches);
  const { oldRoot, newRoot } = place.walk;
  if (isSafe(oldRoot, before, beforeWord) && isSafe(newRoot, after, afterWord)) return;
  if (before !== undefined && after !== undefined && beforeWord === afterWord && isSameChoice(place, before, after)) return;
  tell(place, 'one-of-overlap', [afterWord]);
}

function isSameChoice(place: Place, before: Branches, after: Branches): boolean {
  const { pairs, gone, come } = pairUp(before, after);
  if (gone.length + come.length > 0) return false;
  return pairs.every(
    ([from, to]) => isCovered(place, before[from], after[to]) && isCovered(place, after[to], before[from], { isReversed: true }),
  );
}

/** True when no value can meet two of the branches: their types differ, or a required constant does. */
function areApart(root: SchemaRoot, branches: Branches): boolean {
  if (branches.length > MAX_BRANCHES) return false;
  const kinds = branches.map((branch) => {
    const view = viewOf(root, branch);
    return { types: typesOf(root, view), constants: constantsOf(root, view.words) };
  });
  return kinds.every((one, index) =>
    kinds.slice(index + 1).every((other) => {
      const shared = one.types & other.types;
      // A constant keeps objects apart; other types have to be apart by themselves.
      return (
        shared === 0 ||
        (shared === 4 && [...one.constants].some(([name, value]) => other.constants.has(name) && other.constants.get(name) !== value))
      );
    }),
  );
}

function constantsOf(root: SchemaRoot, words: Readonly<Record<string, unknown>>): ReadonlyMap<string, string> {
  const { properties, required } = words;
  const constants = new Map<string, string>();
  if (!isObject(properties) || !Array.isArray(required)) return constants;
  for (const name of required) {
    if (typeof name !== 'string') continue;
    const said = viewOf(root, own(properties, name)).words;
    if ('const' in said) constants.set(name, canonicalText(said['const']));
  }
  return constants;
}
