/** Lists: their items by place, and what they must contain. */
import type { JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { TYPE } from './types.js';
import { descend, tell, type Place } from './walk.js';

/** Compares what is said about lists. */
export function compareArrays(place: Place): void {
  if ((place.shared & TYPE.array) === 0) return;
  const { before, after } = place;
  if ((before['uniqueItems'] === true) !== (after['uniqueItems'] === true)) {
    tell(place, after['uniqueItems'] === true ? 'unique-items-added' : 'unique-items-removed', ['uniqueItems']);
  }
  compareItems(place);
  compareContains(place);
}

/** Longer tuples exist only in attacks. */
const MAX_TUPLE = 1000;

function compareItems(place: Place): void {
  const [before, after] = [prefixOf(place.before), prefixOf(place.after)];
  if (before === undefined || after === undefined) {
    if (canonicalText(place.before['prefixItems']) !== canonicalText(place.after['prefixItems']))
      tell(place, 'word-unreadable', ['prefixItems']);
    return;
  }
  const length = Math.max(before.length, after.length);
  if (length > MAX_TUPLE) return tell(place, 'gave-up', ['prefixItems']);
  const at = (words: JsonObject, prefix: readonly unknown[], index: number): unknown =>
    index < prefix.length ? prefix[index] : words['items'];
  for (let index = 0; index < length; index++) {
    descend(place, at(place.before, before, index), at(place.after, after, index), ['prefixItems', index]);
  }
  descend(place, place.before['items'], place.after['items'], ['items']);
}

function prefixOf(words: JsonObject): readonly unknown[] | undefined {
  const given: unknown = words['prefixItems'];
  return given === undefined ? [] : Array.isArray(given) ? given : undefined;
}

function compareContains(place: Place): void {
  const { before, after } = place;
  const [from, to] = [containsOf(before), containsOf(after)];
  if (from === undefined && to === undefined) return;
  if (from === undefined) return tell(place, 'contains-added', ['contains'], undefined, after['contains']);
  if (to === undefined) return tell(place, 'contains-removed', ['contains'], before['contains'], undefined);
  if (from.max !== Infinity || to.max !== Infinity) {
    // The more items count, the sooner there are too many: neither direction is safe.
    if (canonicalText(before['contains']) !== canonicalText(after['contains']))
      return tell(place, 'contains-changed', ['contains'], before['contains'], after['contains']);
    if (from.max !== to.max)
      tell(place, to.max < from.max ? 'limit-tightened' : 'limit-relaxed', ['maxContains'], before['maxContains'], after['maxContains']);
  }
  if (from.min !== to.min)
    tell(place, to.min > from.min ? 'limit-tightened' : 'limit-relaxed', ['minContains'], before['minContains'], after['minContains']);
  descend(place, before['contains'], after['contains'], ['contains']);
}

/** Undefined when nothing has to be contained. */
function containsOf(words: JsonObject): { readonly min: number; readonly max: number } | undefined {
  if (words['contains'] === undefined) return undefined;
  const count = (word: string, none: number): number => (typeof words[word] === 'number' ? words[word] : none);
  const [min, max] = [count('minContains', 1), count('maxContains', Infinity)];
  return min === 0 && max === Infinity ? undefined : { min, max };
}
