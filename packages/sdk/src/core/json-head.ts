/**
 * Reads kind, id, method and tool of one JSON-RPC message from its bytes without parsing the rest.
 * Parsing a 1 MiB result to learn that nobody is interested in it would be most of a proxy's work;
 * the same scan also serves frames that are too large to parse, from a bounded prefix.
 */
import type { MessageId, MessageKind } from './message.js';

/** What the scan found. `isComplete` is false when the bytes ended (or broke) before the object did. */
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

const decoder = new TextDecoder();

function skipSpace(bytes: Uint8Array, at: number): number {
  let position = at;
  for (;;) {
    const byte = bytes[position];
    if (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) position++;
    else return position;
  }
}

/** Position after the closing quote, or -1. `at` is the opening quote. */
function skipString(bytes: Uint8Array, at: number): number {
  let from = at + 1;
  for (;;) {
    const quote = bytes.indexOf(QUOTE, from);
    if (quote === -1) return -1;
    let slashes = 0;
    while (bytes[quote - 1 - slashes] === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return quote + 1;
    from = quote + 1;
  }
}

/** Position after the value that starts at `at`, or -1 when it does not end. */
function skipValue(bytes: Uint8Array, at: number): number {
  const first = bytes[at];
  if (first === QUOTE) return skipString(bytes, at);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) {
    let depth = 0;
    let position = at;
    while (position < bytes.length) {
      const byte = bytes[position];
      if (byte === QUOTE) {
        position = skipString(bytes, position);
        if (position === -1) return -1;
        continue;
      }
      if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
      else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        depth--;
        if (depth === 0) return position + 1;
      }
      position++;
    }
    return -1;
  }
  let position = at;
  while (position < bytes.length) {
    const byte = bytes[position];
    if (byte === COMMA || byte === CLOSE_BRACE || byte === CLOSE_BRACKET || byte === 0x20 || byte === 0x0a || byte === 0x0d) {
      return position;
    }
    position++;
  }
  return -1;
}

/** A JSON string or number between two positions; undefined for anything else. */
function scalar(bytes: Uint8Array, from: number, to: number): string | number | null | undefined {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes.subarray(from, to)));
    return typeof value === 'string' || typeof value === 'number' || value === null ? value : undefined;
  } catch {
    return undefined;
  }
}

function isKey(bytes: Uint8Array, from: number, key: string): boolean {
  for (let index = 0; index < key.length; index++) if (bytes[from + index] !== key.charCodeAt(index)) return false;
  return bytes[from + key.length] === QUOTE;
}

/** The string member `name` of the object between two positions. */
function nameIn(bytes: Uint8Array, from: number, to: number): string | undefined {
  let position = skipSpace(bytes, from + 1);
  while (position < to && bytes[position] === QUOTE) {
    const keyAt = position + 1;
    const afterKey = skipSpace(bytes, skipString(bytes, position));
    if (bytes[afterKey] !== COLON) return undefined;
    const valueAt = skipSpace(bytes, afterKey + 1);
    const end = skipValue(bytes, valueAt);
    if (end === -1) return undefined;
    if (isKey(bytes, keyAt, 'name')) {
      const value = scalar(bytes, valueAt, end);
      return typeof value === 'string' ? value : undefined;
    }
    position = skipSpace(bytes, end);
    if (bytes[position] !== COMMA) return undefined;
    position = skipSpace(bytes, position + 1);
  }
  return undefined;
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
  let hasOutcome = false;
  while (bytes[position] === QUOTE) {
    const keyAt = position + 1;
    const keyEnd = skipString(bytes, position);
    if (keyEnd === -1) break;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) break;
    const valueAt = skipSpace(bytes, colon + 1);
    const valueEnd = skipValue(bytes, valueAt);
    // An endless result is still an answer: what came before it tells whose.
    if (isKey(bytes, keyAt, 'result') || isKey(bytes, keyAt, 'error')) hasOutcome = true;
    if (valueEnd === -1) break;
    if (isKey(bytes, keyAt, 'id')) head.id = scalar(bytes, valueAt, valueEnd);
    else if (isKey(bytes, keyAt, 'method')) {
      const method = scalar(bytes, valueAt, valueEnd);
      head.method = typeof method === 'string' ? method : undefined;
    } else if (isKey(bytes, keyAt, 'params') && bytes[valueAt] === OPEN_BRACE) head.tool = nameIn(bytes, valueAt, valueEnd);
    position = skipSpace(bytes, valueEnd);
    if (bytes[position] === CLOSE_BRACE) {
      head.isComplete = true;
      break;
    }
    if (bytes[position] !== COMMA) break;
    position = skipSpace(bytes, position + 1);
  }
  if (head.method !== undefined) head.kind = head.id === undefined ? 'notification' : 'request';
  else if (hasOutcome && head.id !== undefined) head.kind = 'response';
  return head;
}
