/** A guess: which new property is an old one under another name? Only where the schemas are the same and the names are close. */
import { isObject, nearestWord, type JsonObject } from '@toolquake/sdk/core';
import { canonicalText } from '../canonical.js';
import { withoutText } from '../without-text.js';
import { own } from './words.js';

/** More candidates than this are no rename, they are another tool. */
const MAX_CANDIDATES = 50;

/** The new name; undefined when nothing comes close, or two things do. */
export function renamedProperty(name: string, schema: unknown, candidates: readonly string[], known: JsonObject): string | undefined {
  if (candidates.length === 0 || candidates.length > MAX_CANDIDATES) return undefined;
  const contract = canonicalText(withoutText(schema));
  const same = candidates.filter((candidate) => canonicalText(withoutText(known[candidate])) === contract);
  const description = isObject(schema) ? own(schema, 'description') : undefined;
  const described = same.filter(
    (candidate) => description !== undefined && isObject(known[candidate]) && own(known[candidate], 'description') === description,
  );
  if (described.length === 1) return described[0];
  const near = nearestWord(name, same);
  return same.length === 1 ? near : undefined;
}
