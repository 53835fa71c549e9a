/** JSON with comments and trailing commas, read so that every value remembers its place: an edit can leave all the rest as it is. */

/** Where something stands: offsets into the text, the end excluded. */
export type Span = { readonly start: number; readonly end: number };

/** A text, number, boolean or null. */
export type JsoncScalar = Span & { readonly kind: 'scalar'; readonly value: string | number | boolean | null };
/** A list. */
export type JsoncArray = Span & { readonly kind: 'array'; readonly items: readonly JsoncNode[] };
/** One member of an object; `comma` is where the comma behind it stands. */
export type JsoncMember = { readonly key: Span & { readonly name: string }; readonly value: JsoncNode; readonly comma: number | undefined };
/** An object; duplicate names stay, as they stand in the text. */
export type JsoncObject = Span & { readonly kind: 'object'; readonly members: readonly JsoncMember[] };
/** Any value. */
export type JsoncNode = JsoncScalar | JsoncArray | JsoncObject;

/** The text is no JSONC: what is wrong, and at which offset. */
export class JsoncError extends Error {
  readonly offset: number;

  constructor(message: string, offset: number) {
    super(message);
    this.name = 'JsoncError';
    this.offset = offset;
  }
}

/** Deeper than any config; the reader recurses. */
const MAX_DEPTH = 200;
const SPACE = /[ \t\r\n]*/y;
// oxlint-disable-next-line no-control-regex -- JSON forbids them inside strings, and that is what is asked here.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const WORD = /[A-Za-z_$][\w$]*/y;
const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ['true', true],
  ['false', false],
  ['null', null],
]);

/** Reads a whole text; throws a `JsoncError`. A byte order mark may come first. */
export function parseJsonc(text: string): JsoncNode {
  let at = text.startsWith('\uFEFF') ? 1 : 0;

  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0];
    at += found?.length ?? 0;
    return found;
  };
  const refuse = (wanted: string): never => {
    if (at >= text.length) throw new JsoncError(`The text ends where ${wanted} is expected`, at);
    throw new JsoncError(`${JSON.stringify(String.fromCodePoint(text.codePointAt(at)!))} stands where ${wanted} is expected`, at);
  };
  /** Moves on to the next thing that is neither white space nor comment. */
  const skip = (): void => {
    for (take(SPACE); text[at] === '/'; take(SPACE)) {
      if (text[at + 1] === '/') {
        const end = text.slice(at).search(/[\r\n]/);
        at = end === -1 ? text.length : at + end;
      } else if (text[at + 1] === '*') {
        const end = text.indexOf('*/', at + 2);
        if (end === -1) throw new JsoncError('A comment begins here and never ends', at);
        at = end + 2;
      } else refuse('a comment');
    }
  };
  const string = (): Span & { readonly name: string } => {
    const start = at;
    const found = take(STRING);
    if (found === undefined) throw new JsoncError('A text begins here that never ends, or holds a character that must be escaped', at);
    return { start, end: at, name: JSON.parse(found) as string };
  };
  /** True when a comma was passed; the closing bracket may follow it. */
  const comma = (closing: string): number | undefined => {
    skip();
    if (text[at] === closing) return undefined;
    if (text[at] !== ',') refuse(`"," or "${closing}"`);
    at++;
    const place = at - 1;
    skip();
    return place;
  };
  const object = (depth: number): JsoncObject => {
    const start = at++;
    const members: JsoncMember[] = [];
    for (skip(); text[at] !== '}';) {
      if (text[at] !== '"') refuse('a name in double quotes or "}"');
      const key = string();
      skip();
      if (text[at] !== ':') refuse('":"');
      at++;
      skip();
      const node = value(depth + 1);
      members.push({ key, value: node, comma: comma('}') });
    }
    return { kind: 'object', start, end: ++at, members };
  };
  const array = (depth: number): JsoncArray => {
    const start = at++;
    const items: JsoncNode[] = [];
    for (skip(); text[at] !== ']'; comma(']')) items.push(value(depth + 1));
    return { kind: 'array', start, end: ++at, items };
  };
  const value = (depth: number): JsoncNode => {
    if (depth > MAX_DEPTH) throw new JsoncError(`The text is nested more than ${MAX_DEPTH} levels deep`, at);
    const start = at;
    if (text[at] === '{') return object(depth);
    if (text[at] === '[') return array(depth);
    if (text[at] === '"') {
      const { end, name } = string();
      return { kind: 'scalar', start, end, value: name };
    }
    const number = take(NUMBER);
    if (number !== undefined) return { kind: 'scalar', start, end: at, value: Number(number) };
    const word = WORDS.get(take(WORD) ?? '');
    if (word !== undefined) return { kind: 'scalar', start, end: at, value: word };
    at = start;
    return refuse('a value');
  };

  skip();
  const root = value(0);
  skip();
  if (at < text.length) refuse('the end of the text');
  return root;
}

/** The member of that name: the last one, as `JSON.parse` would have it. */
export function memberOf(node: JsoncNode | undefined, name: string): JsoncMember | undefined {
  return node?.kind === 'object' ? node.members.findLast(({ key }) => key.name === name) : undefined;
}

/** A replacement of one stretch of the text. */
export type TextEdit = Span & { readonly text: string };

/** Carries edits out, in any order; everything outside them stays as it is. Edits must not overlap. */
export function applyEdits(text: string, edits: readonly TextEdit[]): string {
  let result = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.start - b.start || a.end - b.end)) {
    if (edit.start < at) throw new Error(`Edits overlap at ${edit.start}`);
    result += text.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return result + text.slice(at);
}
