/** Strings, numbers and null read straight from bytes: an id or a method name need not become text twice. */

// Bytes are shown to JSON.parse as they are: a byte order mark inside is no JSON.
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** Method and tool names repeat, so their strings are kept: 256 slots of at most 48 characters, overwritten on collision. */
const SLOTS = 256;
const MAX_KEPT_BYTES = 48;
const kept: (string | undefined)[] = Array.from({ length: SLOTS }, () => undefined);

/** Largest number of digits that is exact in a double whatever the digits are. */
const MAX_SAFE_DIGITS = 15;

/** The JSON string, number or null between two positions (a string with its quotes); undefined for anything else. */
export function readScalar(bytes: Uint8Array, from: number, to: number): string | number | null | undefined {
  const plain = bytes[from] === 0x22 ? plainText(bytes, from + 1, to - 1) : plainInteger(bytes, from, to);
  if (plain !== undefined) return plain;
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes.subarray(from, to)));
    return typeof value === 'string' || typeof value === 'number' || value === null ? value : undefined;
  } catch {
    return undefined;
  }
}

/** A short string of plain ASCII. */
function plainText(bytes: Uint8Array, from: number, to: number): string | undefined {
  if (to - from > MAX_KEPT_BYTES) return undefined;
  let hash = 0;
  for (let position = from; position < to; position++) {
    const byte = bytes[position]!;
    if (byte < 0x20 || byte > 0x7e || byte === 0x5c) return undefined;
    hash = (Math.imul(hash, 31) + byte) | 0;
  }
  const slot = (hash ^ (hash >>> 8)) & (SLOTS - 1);
  const known = kept[slot];
  if (known !== undefined && known.length === to - from && isSame(known, bytes, from)) return known;
  let text = '';
  for (let position = from; position < to; position++) text += String.fromCharCode(bytes[position]!);
  kept[slot] = text;
  return text;
}

function isSame(text: string, bytes: Uint8Array, from: number): boolean {
  for (let index = 0; index < text.length; index++) if (text.charCodeAt(index) !== bytes[from + index]) return false;
  return true;
}

/** A whole number without sign, leading zero, fraction or exponent: what ids are. */
function plainInteger(bytes: Uint8Array, from: number, to: number): number | undefined {
  if (to === from || to - from > MAX_SAFE_DIGITS || (bytes[from] === 0x30 && to - from > 1)) return undefined;
  let value = 0;
  for (let position = from; position < to; position++) {
    const digit = bytes[position]! - 0x30;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return value;
}
