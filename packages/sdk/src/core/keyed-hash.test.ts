import fc from 'fast-check';
import { expect, test } from 'vitest';
import { keyedHash } from './keyed-hash.js';

const key = Uint8Array.from({ length: 16 }, (_, index) => index);
const bytes = (length: number): Uint8Array => Uint8Array.from({ length }, (_, index) => index);

// From the reference implementation of SipHash-2-4: key 00..0f, message 00..(n-1).
test.each([
  [0, '726fdb47dd0e0e31'],
  [1, '74f839c593dc67fd'],
  [7, 'ab0200f58b01d137'],
  [8, '93f5f5799a932462'],
  [15, 'a129ca6149be45e5'],
  [16, '3f2acc7f57c29bdb'],
  [63, '958a324ceb064572'],
])('gives the published value for %i bytes', (length, hash) => {
  expect(keyedHash(key, bytes(length))).toBe(hash);
});

test('agrees with arithmetic in whole 64-bit words', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), fc.uint8Array({ maxLength: 100 }), (anyKey, message) => {
      expect(keyedHash(anyKey, message)).toBe(reference(anyKey, message));
    }),
  );
});

test('reads a key and a message out of the middle of a buffer', () => {
  const wide = bytes(64);
  expect(keyedHash(wide.subarray(8, 24), wide.subarray(3, 20))).toBe(keyedHash(wide.slice(8, 24), wide.slice(3, 20)));
});

test('takes text as UTF-8', () => {
  expect(keyedHash(key, 'é')).toBe(keyedHash(key, Uint8Array.of(0xc3, 0xa9)));
});

/** The same hash, written plainly with big integers. */
function reference(given: Uint8Array, message: Uint8Array): string {
  const mask = (1n << 64n) - 1n;
  const word = (from: Uint8Array, at: number): bigint => new DataView(from.buffer, from.byteOffset).getBigUint64(at, true);
  const rotate = (value: bigint, by: bigint): bigint => ((value << by) | (value >> (64n - by))) & mask;
  const [k0, k1] = [word(given, 0), word(given, 8)];
  let [a, b, c, d] = [k0 ^ 0x736f6d6570736575n, k1 ^ 0x646f72616e646f6dn, k0 ^ 0x6c7967656e657261n, k1 ^ 0x7465646279746573n];
  const rounds = (count: number): void => {
    for (let round = 0; round < count; round++) {
      a = (a + b) & mask;
      b = rotate(b, 13n) ^ a;
      a = rotate(a, 32n);
      c = (c + d) & mask;
      d = rotate(d, 16n) ^ c;
      a = (a + d) & mask;
      d = rotate(d, 21n) ^ a;
      c = (c + b) & mask;
      b = rotate(b, 17n) ^ c;
      c = rotate(c, 32n);
    }
  };
  const padded = new Uint8Array(8 * Math.floor(message.length / 8) + 8);
  padded.set(message);
  padded[padded.length - 1] = message.length & 0xff;
  for (let at = 0; at < padded.length; at += 8) {
    const m = word(padded, at);
    d ^= m;
    rounds(2);
    a ^= m;
  }
  c ^= 0xffn;
  rounds(4);
  return (a ^ b ^ c ^ d).toString(16).padStart(16, '0');
}
