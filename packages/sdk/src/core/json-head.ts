/**
 * Reads kind, id, method and tool of one JSON-RPC message from its bytes without parsing the rest.
 * Parsing a 1 MiB result to learn that nobody is interested in it would be most of a proxy's work;
 * the same scan also serves frames that are too large to parse, from a bounded prefix.
 * One pass, no recursion, linear on any bytes. On valid JSON it agrees with `JSON.parse`.
 */
import { readScalar } from './json-scalar.js';
import type { MessageId, MessageKind } from './message.js';

/**
 * What the scan found. `isComplete` is false when the bytes ended (or broke) before the object did; what was read
 * until then stands, so a member that comes later (an id after the params) is missing.
 */
export type JsonHead = {
  kind: MessageKind;
  id: MessageId | undefined;
  method: string | undefined;
  tool: string | undefined;
  isComplete: boolean;
};

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const COLON = 0x3a;
const COMMA = 0x2c;

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

function skipSpace(bytes: Uint8Array, at: number): number {
  let position = at;
  while (position < bytes.length && isSpace(bytes[position])) position++;
  return position;
}

/** How far we look byte by byte before a native search pays off, and how far at most where quotes are dense. */
const NEAR_BYTES = 32;
const DENSE_BYTES = 8192;

/** Position after the closing quote, or -1. `at` is the opening quote. */
function skipString(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  let position = at + 1;
  let windowBytes = NEAR_BYTES;
  for (;;) {
    const near = position + windowBytes < end ? position + windowBytes : end;
    while (position < near) {
      const byte = bytes[position]!;
      if (byte === QUOTE) return position + 1;
      position += byte === BACKSLASH ? 2 : 1;
    }
    if (position >= end) return -1;
    const quote = bytes.indexOf(QUOTE, position);
    if (quote === -1) return -1;
    // Backslashes before a quote pair up from the left. `position` is never inside a pair, so the count stops there:
    // no byte is counted twice.
    let slashes = 0;
    while (quote - 1 - slashes >= position && bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    // JSON inside text has an escaped quote every few bytes, and a search that ends at once is slower than looking.
    windowBytes = quote - position < NEAR_BYTES ? Math.min(DENSE_BYTES, windowBytes * 4) : NEAR_BYTES;
    position = quote + 1;
  }
}

/** Position after the value that starts at `at`, or -1 when it does not end. Brackets are counted, not paired. */
function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipContainer(bytes, at);
  for (let position = at; position < bytes.length; position++) {
    const byte = bytes[position];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || isSpace(byte)) return position;
  }
  return -1;
}

function skipContainer(bytes: Uint8Array, at: number): number {
  const end = bytes.length;
  let depth = 0;
  let position = at;
  while (position < end) {
    const byte = bytes[position]!;
    if (byte === QUOTE) {
      position = skipString(bytes, position);
      if (position === -1) return -1;
      continue;
    }
    position++;
    // Digits, commas and colons end here.
    if (byte < OPEN_BRACKET) continue;
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if ((byte === CLOSE_BRACE || byte === CLOSE_BRACKET) && --depth === 0) return position;
  }
  return -1;
}

type Key = 'id' | 'method' | 'params' | 'result' | 'error' | 'name';

const KEYS: readonly Key[] = ['id', 'method', 'params', 'result', 'error', 'name'];

/** Longest spelling of a key: every character as \u0000. */
const MAX_KEY_BYTES = 36;

/** The key between two positions (quotes excluded), when it is one that we look for. Keys may be written with escapes. */
function keyBetween(bytes: Uint8Array, from: number, to: number): Key | undefined {
  const length = to - from;
  if (length > MAX_KEY_BYTES) return undefined;
  for (let index = 0; index < KEYS.length; index++) {
    const key = KEYS[index]!;
    if (key.length === length && isText(bytes, from, key)) return key;
  }
  // A letter can only be escaped as \u00XX: six bytes for one, so the shortest such key has seven.
  if (length < 7) return undefined;
  for (let position = from; position < to; position++) {
    if (bytes[position] !== BACKSLASH) continue;
    const spelled = readScalar(bytes, from - 1, to + 1);
    return KEYS.find((key) => key === spelled);
  }
  return undefined;
}

function isText(bytes: Uint8Array, from: number, text: string): boolean {
  for (let index = 0; index < text.length; index++) if (bytes[from + index] !== text.charCodeAt(index)) return false;
  return true;
}

/** Reads the string member `name` (the last one counts) of the params that start at `from`. Position after them, or -1. */
function readParams(bytes: Uint8Array, from: number, head: JsonHead): number {
  head.tool = undefined;
  if (bytes[from] !== OPEN_BRACE) return skipValue(bytes, from);
  let position = skipSpace(bytes, from + 1);
  while (bytes[position] === QUOTE) {
    const keyEnd = skipString(bytes, position);
    if (keyEnd === -1) return -1;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) break;
    const valueAt = skipSpace(bytes, colon + 1);
    const valueEnd = skipValue(bytes, valueAt);
    if (valueEnd === -1) return -1;
    if (keyBetween(bytes, position + 1, keyEnd - 1) === 'name') head.tool = textOf(readScalar(bytes, valueAt, valueEnd));
    position = skipSpace(bytes, valueEnd);
    if (bytes[position] === CLOSE_BRACE) return position + 1;
    if (bytes[position] !== COMMA) break;
    position = skipSpace(bytes, position + 1);
  }
  // Empty, or no JSON.
  return skipValue(bytes, from);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/**
 * Scans the members of the outermost object. With duplicate keys the last one counts, as `JSON.parse` has it.
 * Never throws; anything that is not an object is `other`.
 */
export function readJsonHead(bytes: Uint8Array): JsonHead {
  const head: JsonHead = { kind: 'other', id: undefined, method: undefined, tool: undefined, isComplete: false };
  let position = skipSpace(bytes, 0);
  if (bytes[position] !== OPEN_BRACE) return head;
  position = skipSpace(bytes, position + 1);
  let hasId = false;
  let hasOutcome = false;
  if (bytes[position] === CLOSE_BRACE) head.isComplete = endsAfter(bytes, position);
  while (bytes[position] === QUOTE) {
    const keyEnd = skipString(bytes, position);
    if (keyEnd === -1) break;
    const key = keyBetween(bytes, position + 1, keyEnd - 1);
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) break;
    const valueAt = skipSpace(bytes, colon + 1);
    // An endless result is still an answer: what came before it tells whose.
    if (key === 'result' || key === 'error') hasOutcome = true;
    const valueEnd = key === 'params' ? readParams(bytes, valueAt, head) : skipValue(bytes, valueAt);
    if (valueEnd === -1) break;
    if (key === 'id') {
      hasId = true;
      head.id = readScalar(bytes, valueAt, valueEnd);
    } else if (key === 'method') head.method = textOf(readScalar(bytes, valueAt, valueEnd));
    position = skipSpace(bytes, valueEnd);
    if (bytes[position] === CLOSE_BRACE) {
      head.isComplete = endsAfter(bytes, position);
      break;
    }
    if (bytes[position] !== COMMA) break;
    position = skipSpace(bytes, position + 1);
  }
  if (head.method !== undefined) head.kind = hasId ? 'request' : 'notification';
  else if (hasOutcome && hasId) head.kind = 'response';
  // A name in the params of something that is no call names no tool.
  if (head.kind === 'response' || head.kind === 'other') head.tool = undefined;
  return head;
}

/**
 * Where the elements of an array begin and end: from, to, from, to.. Undefined when the bytes are no whole array, or one of
 * more than `maxElements`. Looks at brackets and strings only, so what is in between may still be no JSON.
 */
export function elementSpans(bytes: Uint8Array, maxElements: number): number[] | undefined {
  let position = skipSpace(bytes, 0);
  if (bytes[position] !== OPEN_BRACKET) return undefined;
  position = skipSpace(bytes, position + 1);
  const spans: number[] = [];
  if (bytes[position] === CLOSE_BRACKET) return endsAfter(bytes, position) ? spans : undefined;
  while (spans.length < 2 * maxElements) {
    const end = skipValue(bytes, position);
    if (end <= position) return undefined;
    spans.push(position, end);
    position = skipSpace(bytes, end);
    if (bytes[position] === CLOSE_BRACKET) return endsAfter(bytes, position) ? spans : undefined;
    if (bytes[position] !== COMMA) return undefined;
    position = skipSpace(bytes, position + 1);
  }
  return undefined;
}

function endsAfter(bytes: Uint8Array, position: number): boolean {
  return skipSpace(bytes, position + 1) === bytes.length;
}
