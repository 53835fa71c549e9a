/** An answer that nobody gave, made of one that somebody did: what it says of the arguments is said of others. */
import { placesIn, replaceIn } from './data-path.js';
import { isObject, type JsonObject } from './message.js';
import { changeData, dataOf } from './tool-result.js';
import type { Draw } from './value-form.js';
import { drawWrongValue, replaceWord, withWrongValue, wordsOf } from './wrong-value.js';

/** Members that name a thing: `id`, `orderId`, `receipt_number`, `ref`. */
const IDENTIFYING = /(^|[_-])(id|ids|uuid|ref|number|no|receipt|code)$|(Id|Uuid|Ref|Number|Receipt|Code)$/i;

/** More arguments and identifiers than this are left as they were. */
const MAX_REPLACED = 20;

/** The result with the values of earlier arguments replaced by those of later ones, wherever it repeats them. */
export function withOtherArguments(result: JsonObject, earlier: unknown, later: unknown): JsonObject {
  if (!isObject(earlier) || !isObject(later)) return result;
  const pairs = Object.keys(earlier)
    .filter((name) => Object.hasOwn(later, name) && isScalar(earlier[name]) && isScalar(later[name]) && earlier[name] !== later[name])
    .slice(0, MAX_REPLACED)
    .map((name) => [earlier[name], later[name]] as const);
  return pairs.reduce((changing, [before, after]) => replaceEverywhere(changing, before, after), result);
}

const isScalar = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number';

function replaceEverywhere(result: JsonObject, before: unknown, after: unknown): JsonObject {
  const inData = changeData(result, (data) => replaceIn(data, before, after)) ?? result;
  const blocks: unknown = inData['content'];
  if (!Array.isArray(blocks)) return inData;
  const content = blocks.map((block: unknown) =>
    isObject(block) && block['type'] === 'text' && typeof block['text'] === 'string' && !/^\s*[[{]/.test(block['text'])
      ? { ...block, text: replaceWord(block['text'], String(before), String(after)) }
      : block,
  );
  return { ...inData, content };
}

/** The result with other identifiers in it, apart from those that the arguments name. */
export function newIdentifiers(result: JsonObject, given: unknown, draw: Draw): JsonObject {
  const named = new Set(isObject(given) ? Object.values(given) : []);
  const places = placesIn(dataOf(result)[0]).filter(({ path, value }) => IDENTIFYING.test(String(path.at(-1))) && !named.has(value));
  if (places.length === 0) return result;
  const taken = new Set(wordsOf([result, given]));
  return places.slice(0, MAX_REPLACED).reduce((changing, { path }) => {
    const wrong = drawWrongValue(changing, { op: 'auto', pattern: path, taken, draw });
    if (wrong === undefined) return changing;
    taken.add(String(wrong.dirty));
    return withWrongValue(changing, wrong) ?? changing;
  }, result);
}
