/**
 * SipHash-2-4: a short hash that says nothing without its key, not even whether a guess is right. Unlike the mix behind
 * draws (`random.ts`), known texts and their hashes do not give the key away. Pure, so that it runs wherever the core does.
 */

/** Bytes of a key. */
export const HASH_KEY_BYTES = 16;

const encoder = new TextEncoder();

/** Four 64-bit words as eight halves, low before high. */
type State = Uint32Array;

/** `state[to] += state[from]`, over 64 bits. */
function add(state: State, to: number, from: number): void {
  const low = state[to]! + state[from]!;
  state[to] = low;
  state[to + 1] = state[to + 1]! + state[from + 1]! + (low > 0xffffffff ? 1 : 0);
}

/** `state[to] = rotate(state[to], by) ^ state[from]`, for 0 < by < 32. */
function rotateAndMix(state: State, to: number, by: number, from: number): void {
  const [low, high] = [state[to]!, state[to + 1]!];
  state[to] = ((low << by) | (high >>> (32 - by))) ^ state[from]!;
  state[to + 1] = ((high << by) | (low >>> (32 - by))) ^ state[from + 1]!;
}

/** Rotates by 32: the halves change places. */
function swapHalves(state: State, at: number): void {
  [state[at], state[at + 1]] = [state[at + 1]!, state[at]!];
}

function rounds(state: State, count: number): void {
  for (let round = 0; round < count; round++) {
    add(state, 0, 2);
    rotateAndMix(state, 2, 13, 0);
    swapHalves(state, 0);
    add(state, 4, 6);
    rotateAndMix(state, 6, 16, 4);
    add(state, 0, 6);
    rotateAndMix(state, 6, 21, 0);
    add(state, 4, 2);
    rotateAndMix(state, 2, 17, 4);
    swapHalves(state, 4);
  }
}

/** The 64-bit hash of a text (as UTF-8) or of bytes under a key of 16 bytes, as 16 hexadecimal digits. */
export function keyedHash(key: Uint8Array, text: string | Uint8Array): string {
  const bytes = typeof text === 'string' ? encoder.encode(text) : text;
  const keyed = new DataView(key.buffer, key.byteOffset, HASH_KEY_BYTES);
  const [k0, k1, k2, k3] = [0, 4, 8, 12].map((at) => keyed.getUint32(at, true)) as [number, number, number, number];
  const state = Uint32Array.of(
    k0 ^ 0x70736575,
    k1 ^ 0x736f6d65,
    k2 ^ 0x6e646f6d,
    k3 ^ 0x646f7261,
    k0 ^ 0x6e657261,
    k1 ^ 0x6c796765,
    k2 ^ 0x79746573,
    k3 ^ 0x74656462,
  );
  const take = (low: number, high: number): void => {
    state[6]! ^= low;
    state[7]! ^= high;
    rounds(state, 2);
    state[0]! ^= low;
    state[1]! ^= high;
  };
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const whole = bytes.length - (bytes.length % 8);
  for (let at = 0; at < whole; at += 8) take(words.getUint32(at, true), words.getUint32(at + 4, true));
  // The rest, filled up with zeros; the last byte is the length.
  const rest = new DataView(new ArrayBuffer(8));
  for (let at = whole; at < bytes.length; at++) rest.setUint8(at - whole, bytes[at]!);
  rest.setUint8(7, bytes.length & 0xff);
  take(rest.getUint32(0, true), rest.getUint32(4, true));
  state[4]! ^= 0xff;
  rounds(state, 4);
  const half = (at: number): string =>
    ((state[at]! ^ state[at + 2]! ^ state[at + 4]! ^ state[at + 6]!) >>> 0).toString(16).padStart(8, '0');
  return half(1) + half(0);
}
