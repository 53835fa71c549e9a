/** One spelling for one value: sorted keys, NFC text. What is compared, hashed and written to a lock goes through here. */
import { isObject } from '@toolquake/sdk/core';

/** Deeper than this nothing is written: whoever measures first (`measure.ts`) never gets here. */
const MAX_JSON_DEPTH = 128;

/** How it is spelled: on one line, or indented for people who review it. */
export type CanonicalOptions = { readonly isIndented?: boolean };

/** A JSON value as canonical text. Members are compared by code units, so the order is the same on every machine. */
export function canonicalText(value: unknown, { isIndented = false }: CanonicalOptions = {}): string {
  return write(value, isIndented ? '\n' : '', isIndented ? ': ' : ':', 0);
}

/** `line` is the line break with its indentation; empty when everything stands on one line. */
function write(value: unknown, line: string, colon: string, depth: number): string {
  if (depth > MAX_JSON_DEPTH) throw new RangeError(`Nested more than ${MAX_JSON_DEPTH} levels deep.`);
  if (typeof value === 'string') return JSON.stringify(value.normalize('NFC'));
  const inner = line === '' ? '' : `${line}  `;
  if (Array.isArray(value)) {
    return bracket(
      '[',
      ']',
      value.map((item) => write(item, inner, colon, depth + 1)),
      line,
      inner,
    );
  }
  if (isObject(value)) {
    const members = Object.keys(value)
      .filter((key) => value[key] !== undefined)
      .sort()
      .map((key) => `${JSON.stringify(key.normalize('NFC'))}${colon}${write(value[key], inner, colon, depth + 1)}`);
    return bracket('{', '}', members, line, inner);
  }
  // -0 is written as 0; what is no JSON (a function, NaN) cannot come out of a parser.
  return JSON.stringify(value) ?? 'null';
}

function bracket(open: string, close: string, parts: readonly string[], line: string, inner: string): string {
  return parts.length === 0 ? open + close : `${open}${inner}${parts.join(`,${inner}`)}${line}${close}`;
}

/** True when two values are the same JSON, whatever the order of their members. */
export const isSameJson = (one: unknown, other: unknown): boolean =>
  one === other || (one !== undefined && other !== undefined && canonicalText(one) === canonicalText(other));
