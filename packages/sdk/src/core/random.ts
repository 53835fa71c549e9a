/**
 * Keyed randomness. A draw is a pure function of (seed, rule id, scope key, ordinal, index), so the same calls make
 * the same draws whatever the interleaving. Portable: FNV-1a 64 over the UTF-8 key, then the SplitMix64 finaliser.
 * Test vectors: docs/keyed-draws.md.
 */

/** The draws of one rule in one scope. */
export type DrawStream = {
  /** A number in [0, 1). */
  draw(ordinal: number, index: number): number;
};

/** Where draws come from. */
export type RandomSource = { stream(ruleId: string, scopeKey: string): DrawStream };

const encoder = new TextEncoder();
const SEPARATOR = '\u001f';

/** FNV-1a 64 over UTF-8, as two 32-bit halves. */
export function fnv1a64(text: string): { high: number; low: number } {
  let high = 0xcbf29ce4;
  let low = 0x84222325;
  for (const byte of encoder.encode(text)) {
    low = (low ^ byte) >>> 0;
    // prime = 2^40 + 0x1b3; both partial products stay below 2^53.
    const product = low * 0x1b3;
    high = (high * 0x1b3 + ((low << 8) >>> 0) + Math.floor(product / 4294967296)) % 4294967296;
    low = product % 4294967296;
  }
  return { high: high >>> 0, low: low >>> 0 };
}

/** The high word of the 64-bit product of two 32-bit words. */
function multiplyHigh(a: number, b: number): number {
  const aLow = a & 0xffff;
  const aHigh = a >>> 16;
  const bLow = b & 0xffff;
  const bHigh = b >>> 16;
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle & 0xffff);
  return aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(carry / 65536);
}

/** SplitMix64's finaliser over (high, low), as a number in [0, 1) made of its top 53 bits. */
function mix(highIn: number, lowIn: number): number {
  let high = highIn;
  let low = lowIn;
  low = (low ^ ((low >>> 30) | (high << 2))) >>> 0;
  high = (high ^ (high >>> 30)) >>> 0;
  let productHigh = (multiplyHigh(low, 0x1ce4e5b9) + Math.imul(high, 0x1ce4e5b9) + Math.imul(low, 0xbf58476d)) >>> 0;
  low = Math.imul(low, 0x1ce4e5b9) >>> 0;
  high = productHigh;
  low = (low ^ ((low >>> 27) | (high << 5))) >>> 0;
  high = (high ^ (high >>> 27)) >>> 0;
  productHigh = (multiplyHigh(low, 0x133111eb) + Math.imul(high, 0x133111eb) + Math.imul(low, 0x94d049bb)) >>> 0;
  low = Math.imul(low, 0x133111eb) >>> 0;
  high = productHigh;
  low = (low ^ ((low >>> 31) | (high << 1))) >>> 0;
  high = (high ^ (high >>> 31)) >>> 0;
  return (high * 2097152 + (low >>> 11)) / 9007199254740992;
}

/** The default source: every draw from its own key. */
export function keyedRandom(seed: number): RandomSource {
  return {
    stream(ruleId, scopeKey) {
      const { high, low } = fnv1a64(`${seed}${SEPARATOR}${ruleId}${SEPARATOR}${scopeKey}`);
      return { draw: (ordinal, index) => mix((high ^ ordinal) >>> 0, (low ^ index) >>> 0) };
    },
  };
}

/** One generator for all draws, in the order they are asked for: what older tools do. Any reordering reshuffles it. */
export function sequentialRandom(next: () => number): RandomSource {
  const stream: DrawStream = { draw: () => next() };
  return { stream: () => stream };
}
