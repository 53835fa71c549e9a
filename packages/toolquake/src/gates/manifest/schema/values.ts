/** Types, listed values, and what text must look like. */
import type { JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { typeNames, typeOfValue, typesOfWord, TYPE, NUMBER } from './types.js';
import { tell, type Place } from './walk.js';

/** Compares the types that may pass. */
export function compareTypes(place: Place, oldTypes: number, newTypes: number): void {
  const word = typesOfWord(place.before['type']) === undefined || typesOfWord(place.after['type']) === undefined;
  if (word && canonicalText(place.before['type']) !== canonicalText(place.after['type'])) {
    return tell(place, 'word-unreadable', ['type'], place.before['type'], place.after['type']);
  }
  // A list of values tells by itself which of them came and went, and their types with them.
  const [lists, listed] = [valuesOf(place.before), valuesOf(place.after)];
  const lost = oldTypes & ~newTypes & ~typesMissing(lists, listed);
  const won = newTypes & ~oldTypes & ~typesMissing(listed, lists);
  const [from, to] = [typeNames(oldTypes).join(' or '), typeNames(newTypes).join(' or ')];
  if (lost === TYPE.null && won === 0) tell(place, 'null-removed', ['type'], from, to);
  else if (won === TYPE.null && lost === 0) tell(place, 'null-added', ['type'], from, to);
  else if (lost !== 0 && won !== 0) tell(place, 'type-changed', ['type'], from, to);
  else if (lost !== 0) tell(place, 'type-narrowed', ['type'], from, to);
  else if (won !== 0) tell(place, 'type-widened', ['type'], from, to);
}

/** The values that `enum` and `const` leave, by their text; undefined when they say nothing. */
function valuesOf(words: JsonObject): ReadonlyMap<string, unknown> | undefined {
  const listed: unknown = words['enum'];
  const list = Array.isArray(listed) ? new Map(listed.map((value: unknown) => [canonicalText(value), value])) : undefined;
  if (!('const' in words)) return list;
  const only = canonicalText(words['const']);
  return new Map(list === undefined || list.has(only) ? [[only, words['const']]] : []);
}

type Values = ReadonlyMap<string, unknown> | undefined;

/** The types of the values that one list has and the other has not. */
function typesMissing(list: Values, other: Values): number {
  if (list === undefined || other === undefined) return 0;
  return [...list].reduce((types, [text, value]) => (other.has(text) ? types : types | typeOfValue(value)), 0);
}

const FINITE: readonly (readonly [type: number, values: readonly unknown[]])[] = [
  [TYPE.null, [null]],
  [TYPE.boolean, [false, true]],
];

/** true, false and null are a list of values, too. */
function finiteValues(types: number): ReadonlyMap<string, unknown> | undefined {
  if ((types & ~(TYPE.null | TYPE.boolean)) !== 0) return undefined;
  return new Map(
    FINITE.filter(([type]) => (types & type) !== 0).flatMap(([, values]) => values.map((value) => [canonicalText(value), value])),
  );
}

/** Compares lists of values. */
export function compareValues(place: Place, oldTypes: number, newTypes: number): void {
  const { before, after } = place;
  const word = 'const' in after || (!('enum' in after) && 'const' in before) ? 'const' : 'enum';
  if (
    [before, after].some((words) => 'enum' in words && !Array.isArray(words['enum'])) &&
    canonicalText(before['enum']) !== canonicalText(after['enum'])
  ) {
    return tell(place, 'word-unreadable', ['enum'], before['enum'], after['enum']);
  }
  const [saysOld, saysNew] = [valuesOf(before), valuesOf(after)];
  if (saysOld === undefined && saysNew === undefined) return;
  const [from, to] = [saysOld ?? finiteValues(oldTypes), saysNew ?? finiteValues(newTypes)];
  if (to === undefined) {
    if ((place.shared | (oldTypes & newTypes)) !== 0)
      tell(place, 'const' in before ? 'const-removed' : 'enum-removed', [word], shown(saysOld), undefined);
    return;
  }
  if (from === undefined) return tell(place, 'enum-added', [word], undefined, shown(saysNew));
  // A value whose type is gone, or new, was told with its type; but not when both list their values.
  const bothSay = saysOld !== undefined && saysNew !== undefined;
  const lost = [...from].filter(([text, value]) => !to.has(text) && (bothSay || (typeOfValue(value) & newTypes) !== 0));
  const won = [...to].filter(([text, value]) => !from.has(text) && (bothSay || (typeOfValue(value) & oldTypes) !== 0));
  if (lost.length > 0)
    tell(
      place,
      'enum-value-removed',
      [word],
      lost.map(([, value]) => value),
      undefined,
    );
  if (won.length > 0)
    tell(
      place,
      'enum-value-added',
      [word],
      undefined,
      won.map(([, value]) => value),
    );
}

const shown = (values: ReadonlyMap<string, unknown> | undefined): unknown => (values === undefined ? undefined : [...values.values()]);

/** Compares patterns, formats and encodings of text. */
export function compareText(place: Place): void {
  // Some formats are about numbers ("int32"), so a format counts wherever either may pass.
  if ((place.shared & (TYPE.string | NUMBER)) !== 0) tellWord(place, 'format', ['format-added', 'format-removed', 'format-changed']);
  if ((place.shared & TYPE.string) === 0) return;
  tellWord(place, 'pattern', ['pattern-added', 'pattern-removed', 'pattern-changed']);
  for (const word of ['contentEncoding', 'contentMediaType', 'contentSchema']) {
    tellWord(place, word, ['content-changed', 'content-changed', 'content-changed']);
  }
}

type ThreeKinds = readonly [added: Parameters<typeof tell>[1], removed: Parameters<typeof tell>[1], changed: Parameters<typeof tell>[1]];

function tellWord(place: Place, word: string, [added, removed, changed]: ThreeKinds): void {
  const [before, after] = [place.before[word], place.after[word]];
  if (before === undefined && after === undefined) return;
  if (before === undefined) tell(place, added, [word], undefined, after);
  else if (after === undefined) tell(place, removed, [word], before, undefined);
  else if (canonicalText(before) !== canonicalText(after)) tell(place, changed, [word], before, after);
}
