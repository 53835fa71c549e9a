/**
 * Writes edited JSON with its numbers spelled as they came. `1.0`, `1e5` and integers beyond 2^53 do not survive being
 * parsed and written again; a fault that changes one value must not change an id elsewhere without saying so.
 */
import { pointerStep } from './data-change.js';
import { isObject } from './message.js';

/** Spellings that JSON.stringify would change: by where they stood, and by value where that says enough. */
export type NumberSpelling = { readonly byPath: ReadonlyMap<string, string>; readonly byValue: ReadonlyMap<number, string> };

const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const MAX_DEPTH = 300;

/** What is unusual about the numbers of a JSON text; undefined when nothing is, or when it is no JSON. */
export function numberSpelling(text: string): NumberSpelling | undefined {
  const byPath = new Map<string, string>();
  /** Undefined: several spellings of one value. */
  const byValue = new Map<number, string | undefined>();
  let at = 0;

  const skipSpace = (): void => {
    while (at < text.length && ' \n\r\t'.includes(text[at]!)) at++;
  };
  /** The end of the string that begins here. */
  const endOfString = (): number => {
    let end = at + 1;
    while (end < text.length && text[end] !== '"') end += text[end] === '\\' ? 2 : 1;
    return end + 1;
  };
  const takeNumber = (path: string): boolean => {
    NUMBER.lastIndex = at;
    const literal = NUMBER.exec(text)?.[0];
    if (literal === undefined) return false;
    at += literal.length;
    const value = Number(literal);
    if (!byValue.has(value)) byValue.set(value, literal);
    else if (byValue.get(value) !== literal) byValue.set(value, undefined);
    if (literal !== JSON.stringify(value)) byPath.set(path, literal);
    return true;
  };
  /** Reads what stands here; false when it makes no sense, so that nobody goes on. */
  const read = (path: string, depth: number): boolean => {
    if (depth > MAX_DEPTH) return false;
    skipSpace();
    const first = text[at];
    if (first === '"') at = endOfString();
    else if (first === '{' || first === '[') return readParts(path, depth, first === '{');
    else if (first !== undefined && '-0123456789'.includes(first)) return takeNumber(path);
    else {
      const [word] = /^(?:true|false|null)/.exec(text.slice(at, at + 5)) ?? [];
      if (word === undefined) return false;
      at += word.length;
    }
    return true;
  };
  const readParts = (path: string, depth: number, isMapping: boolean): boolean => {
    at++;
    for (let index = 0; ; index++) {
      skipSpace();
      if (text[at] === (isMapping ? '}' : ']')) break;
      let step: string | number = index;
      if (isMapping) {
        const from = at;
        at = endOfString();
        step = keyOf(text.slice(from, at));
        skipSpace();
        if (text[at++] !== ':') return false;
      }
      if (!read(path + pointerStep(step), depth + 1)) return false;
      skipSpace();
      if (text[at] === ',') at++;
    }
    at++;
    return true;
  };

  if (!read('', 0) || byPath.size === 0) return undefined;
  const odd = [...byValue].filter((entry): entry is [number, string] => entry[1] !== undefined && entry[1] !== JSON.stringify(entry[0]));
  return { byPath, byValue: new Map(odd) };
}

function keyOf(quoted: string): string {
  try {
    return String(JSON.parse(quoted));
  } catch {
    return '';
  }
}

/** JSON text of a value, with its numbers spelled as they were where they are the same numbers still. */
export function stringifyLike(value: unknown, spelling: NumberSpelling | undefined, indent = 0): string {
  if (spelling === undefined) return JSON.stringify(value, null, indent);
  // A mark that no text in the value contains, so that nothing but our own marks is ever taken for one.
  const plain = JSON.stringify(value);
  let mark = 'number:';
  while (plain.includes(mark)) mark = `${mark}:`;
  const spelled = (part: unknown, path: string): unknown => {
    if (typeof part === 'number') {
      const literal = spelling.byPath.get(path) ?? spelling.byValue.get(part);
      return literal !== undefined && Object.is(Number(literal), part) ? `${mark}${literal}` : part;
    }
    if (Array.isArray(part)) return part.map((one: unknown, index) => spelled(one, path + pointerStep(index)));
    if (!isObject(part)) return part;
    const copy: Record<string, unknown> = {};
    for (const [name, one] of Object.entries(part)) {
      // Not by assignment: a member called __proto__ would vanish.
      Object.defineProperty(copy, name, { value: spelled(one, path + pointerStep(name)), enumerable: true });
    }
    return copy;
  };
  const marked = JSON.stringify(spelled(value, ''), null, indent);
  return marked.replace(new RegExp(`"${mark}([-+.0-9eE]+)"`, 'g'), '$1');
}
