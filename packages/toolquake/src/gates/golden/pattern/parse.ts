/**
 * Reads a regular expression of the regular kind: what needs to remember (back references) or to look around is refused, so
 * that the rest can run in linear time. Single characters, classes and escapes keep the meaning that JavaScript gives them.
 */

/** A part of a pattern. */
export type PatternNode =
  | { readonly kind: 'one'; readonly test: (character: string) => boolean }
  | { readonly kind: 'all'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'either'; readonly parts: readonly PatternNode[] }
  | { readonly kind: 'repeat'; readonly part: PatternNode; readonly min: number; readonly max: number }
  | { readonly kind: 'place'; readonly place: Place };

/** What holds between two characters. */
export type Place = 'start' | 'end' | 'edge' | 'no-edge';

/** Why a pattern is refused, in words. */
export class PatternRefusal extends Error {
  override readonly name = 'PatternRefusal';
}

/** Longer patterns are programs. */
const MAX_LENGTH = 500;
const MAX_COUNT = 1000;

/** Throws a `PatternRefusal`. */
export function parsePattern(source: string): PatternNode {
  if (source.length > MAX_LENGTH) throw new PatternRefusal(`it is longer than ${MAX_LENGTH} characters`);
  const points = Array.from(source);
  let at = 0;
  const either = (): PatternNode => {
    const parts = [all()];
    while (points[at] === '|') {
      at++;
      parts.push(all());
    }
    return parts.length === 1 ? parts[0]! : { kind: 'either', parts };
  };
  const all = (): PatternNode => {
    const parts: PatternNode[] = [];
    while (at < points.length && points[at] !== '|' && points[at] !== ')') parts.push(repeated(atom()));
    return { kind: 'all', parts };
  };
  const repeated = (part: PatternNode): PatternNode => {
    const [text, min, max] = quantifier(points.slice(at, at + 16).join(''));
    if (text === '') return part;
    at += text.length;
    if (part.kind === 'place') throw new PatternRefusal(`"${text}" repeats nothing`);
    // Lazy or greedy finds the same texts; only what stands in them would differ.
    if (points[at] === '?') at++;
    if (/^[*+?]|^\{\d/.test(points.slice(at, at + 2).join(''))) throw new PatternRefusal('a repetition is repeated');
    return { kind: 'repeat', part, min, max };
  };
  const group = (): PatternNode => {
    at++;
    if (points[at] === '?') {
      if (points[at + 1] !== ':') throw new PatternRefusal('it looks around, or names a group: only (...) and (?:...) are known');
      at += 2;
    }
    const inner = either();
    if (points[at] !== ')') throw new PatternRefusal('a "(" is not closed');
    at++;
    return inner;
  };
  const atom = (): PatternNode => {
    const point = points[at]!;
    if (point === '(') return group();
    if (point === '^' || point === '$') {
      at++;
      return { kind: 'place', place: point === '^' ? 'start' : 'end' };
    }
    if ('*+?{'.includes(point)) throw new PatternRefusal(`"${point}" repeats nothing; write \\${point} for the character`);
    const next = points[at + 1];
    if (point === '\\' && (next === 'b' || next === 'B')) {
      at += 2;
      return { kind: 'place', place: next === 'b' ? 'edge' : 'no-edge' };
    }
    const text = characterText(points, at);
    at += Array.from(text).length;
    return { kind: 'one', test: characterTest(text) };
  };
  const whole = either();
  if (at < points.length) throw new PatternRefusal('a ")" closes nothing');
  return whole;
}

function quantifier(text: string): readonly [text: string, min: number, max: number] {
  const simple = { '*': [0, Infinity], '+': [1, Infinity], '?': [0, 1] }[text[0] ?? ''];
  if (simple !== undefined) return [text[0]!, simple[0]!, simple[1]!];
  const [whole, low, comma, high] = /^\{(\d{1,4})(,?)(\d{0,4})\}/.exec(text) ?? [];
  if (whole === undefined) return ['', 0, 0];
  const min = Number(low);
  const max = comma === '' ? min : high === '' ? Infinity : Number(high);
  if (max < min) throw new PatternRefusal(`${whole} ends before it starts`);
  if (min > MAX_COUNT || (max > MAX_COUNT && max !== Infinity)) throw new PatternRefusal(`${whole} repeats more than ${MAX_COUNT} times`);
  return [whole, min, max];
}

/** The part of the source that stands for one character: `a`, `.`, `\d`, `\p{L}`, `[a-z]`. */
function characterText(points: readonly string[], from: number): string {
  const rest = points.slice(from).join('');
  const escape = /^\\(?:u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|[pP]\{[\w=]{1,40}\}|c[A-Za-z]|[^\dukxpPc]|0(?!\d))/su.exec(
    rest,
  );
  if (escape !== null) return escape[0];
  if (rest.startsWith('\\')) throw new PatternRefusal('it refers back to a group, or has an escape that is unknown');
  const set = /^\[(?:\\.|[^\]\\])*\]/su.exec(rest);
  if (set !== null) return set[0];
  if (rest.startsWith('[')) throw new PatternRefusal('a "[" is not closed');
  return points[from]!;
}

/** JavaScript decides about single characters: nothing can run away there. */
function characterTest(text: string): (character: string) => boolean {
  const isPlain = Array.from(text).length === 1 && text !== '.';
  if (isPlain) return (character) => character === text;
  const known = new Map<string, boolean>();
  let one: RegExp;
  try {
    one = new RegExp(`^${/^\\[^\w^$\\.*+?()[\]{}|/-]$/u.test(text) ? text.slice(1) : text === '\\-' ? '-' : text}$`, 'u');
  } catch {
    throw new PatternRefusal(`"${text.slice(0, 60)}" stands for no character`);
  }
  return (character) => {
    const before = known.get(character);
    if (before !== undefined) return before;
    const is = one.test(character);
    if (known.size < 10_000) known.set(character, is);
    return is;
  };
}
