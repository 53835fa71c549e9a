/** Limits: numbers in a range, lengths, counts. */
import type { JsonObject } from '@toolquake/sdk/core';
import { NUMBER, TYPE } from './types.js';
import { tell, type Place } from './walk.js';

/** Words that count something from below or above. */
const COUNTS: readonly (readonly [word: string, type: number, isLower: boolean])[] = [
  ['minLength', TYPE.string, true],
  ['maxLength', TYPE.string, false],
  ['minItems', TYPE.array, true],
  ['maxItems', TYPE.array, false],
  ['minProperties', TYPE.object, true],
  ['maxProperties', TYPE.object, false],
];

/** Compares counts, ranges and multiples. */
export function compareNumbers(place: Place): void {
  for (const [word, type, isLower] of COUNTS) {
    if ((place.shared & type) === 0) continue;
    const none = isLower ? 0 : Infinity;
    const [before, after] = [countOf(place.before, word, none), countOf(place.after, word, none)];
    if (before === undefined || after === undefined) unreadable(place, word);
    else if (before !== after) tellLimit(place, word, after > before === isLower);
  }
  if ((place.shared & NUMBER) === 0) return;
  compareBound(place, true);
  compareBound(place, false);
  compareMultiple(place);
}

function tellLimit(place: Place, word: string, isTightened: boolean): void {
  tell(place, isTightened ? 'limit-tightened' : 'limit-relaxed', [word], place.before[word], place.after[word]);
}

/** A word that cannot be read is only a question when it changed. */
function unreadable(place: Place, word: string): void {
  if (place.before[word] !== place.after[word]) tell(place, 'word-unreadable', [word], place.before[word], place.after[word]);
}

function countOf(words: JsonObject, word: string, none: number): number | undefined {
  const given = words[word];
  if (given === undefined) return none;
  return typeof given === 'number' && given >= 0 ? given : undefined;
}

/** The tightest of `minimum` and `exclusiveMinimum`, or their mirror images. */
type Bound = { readonly at: number; readonly isExclusive: boolean; readonly word: string };

function compareBound(place: Place, isLower: boolean): void {
  const isWhole = (place.shared & TYPE.fraction) === 0;
  const [before, after] = [boundOf(place.before, isLower, isWhole), boundOf(place.after, isLower, isWhole)];
  if (before === undefined || after === undefined) {
    unreadable(place, isLower ? 'minimum' : 'maximum');
    return unreadable(place, isLower ? 'exclusiveMinimum' : 'exclusiveMaximum');
  }
  const sign = isLower ? 1 : -1;
  const order = sign * (after.at - before.at) || Number(after.isExclusive) - Number(before.isExclusive);
  if (order === 0 || Number.isNaN(order)) return;
  const { word } = order > 0 || Number.isFinite(after.at) ? after : before;
  tell(place, order > 0 ? 'limit-tightened' : 'limit-relaxed', [word], shown(before), shown(after));
}

const shown = ({ at, isExclusive }: Bound): string | undefined =>
  Number.isFinite(at) ? `${isExclusive ? 'beyond ' : ''}${at}` : undefined;

function boundOf(words: JsonObject, isLower: boolean, isWhole: boolean): Bound | undefined {
  const sign = isLower ? 1 : -1;
  let bound: Bound = { at: -sign * Infinity, isExclusive: false, word: isLower ? 'minimum' : 'maximum' };
  for (const [word, isExclusive] of isLower
    ? ([
        ['minimum', false],
        ['exclusiveMinimum', true],
      ] as const)
    : ([
        ['maximum', false],
        ['exclusiveMaximum', true],
      ] as const)) {
    const given = words[word];
    if (given === undefined) continue;
    if (typeof given !== 'number') return undefined;
    const next = isWhole ? wholeBound(given, isExclusive, isLower, word) : { at: given, isExclusive, word };
    if (sign * (next.at - bound.at) > 0 || (next.at === bound.at && next.isExclusive)) bound = next;
  }
  return bound;
}

/** Among whole numbers, "beyond 0" is "1 or more"; beyond what a double can count, nothing is next to anything. */
function wholeBound(given: number, isExclusive: boolean, isLower: boolean, word: string): Bound {
  if (!Number.isSafeInteger(Math.round(given))) return { at: given, isExclusive, word };
  const rounded = isLower ? Math.ceil(given) : Math.floor(given);
  return { at: isExclusive && rounded === given ? given + (isLower ? 1 : -1) : rounded, isExclusive: false, word };
}

function compareMultiple(place: Place): void {
  const [before, after] = [place.before['multipleOf'], place.after['multipleOf']];
  if (before === after) return;
  const isGood = (one: unknown): boolean => one === undefined || (typeof one === 'number' && one > 0);
  if (!isGood(before) || !isGood(after)) return unreadable(place, 'multipleOf');
  const isWhole = (place.shared & TYPE.fraction) === 0;
  // Every whole number is a multiple of 1.
  const [from, to] = [before ?? (isWhole ? 1 : undefined), after ?? (isWhole ? 1 : undefined)] as (number | undefined)[];
  if (from === to) return;
  if (to === undefined || (from !== undefined && isMultiple(from, to))) tell(place, 'limit-relaxed', ['multipleOf'], before, after);
  else if (from === undefined || isMultiple(to, from)) tell(place, 'limit-tightened', ['multipleOf'], before, after);
  else tell(place, 'multiple-changed', ['multipleOf'], before, after);
}

/** Exact for whole numbers. For fractions validators round in different ways, so only equal ones count as multiples. */
const isMultiple = (value: number, of: number): boolean => Number.isSafeInteger(value) && Number.isSafeInteger(of) && value % of === 0;
