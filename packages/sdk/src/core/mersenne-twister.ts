/** MT19937 seeded and read as CPython's `random.Random(seed).random()`, for results that are comparable with Python peers. */

const SIZE = 624;
const SHIFT = 397;

/** Starts a generator of numbers in [0, 1). The seed is a safe integer; its sign does not count, as in `random.seed(int)`. */
export function mersenneTwister(seed: number): () => number {
  const state = new Uint32Array(SIZE);
  initialiseByArray(state, keyWords(Math.abs(seed)));
  let index = SIZE;
  const word = (): number => {
    if (index === SIZE) {
      twist(state);
      index = 0;
    }
    let value = state[index++]!;
    value ^= value >>> 11;
    value ^= (value << 7) & 0x9d2c5680;
    value ^= (value << 15) & 0xefc60000;
    return (value ^ (value >>> 18)) >>> 0;
  };
  return () => ((word() >>> 5) * 67108864 + (word() >>> 6)) / 9007199254740992;
}

/** CPython splits the seed into 32-bit words, least significant first. */
function keyWords(seed: number): number[] {
  const words = [seed >>> 0];
  const rest = Math.floor(seed / 4294967296);
  if (rest > 0) words.push(rest >>> 0);
  return words;
}

function initialiseByArray(state: Uint32Array, key: readonly number[]): void {
  state[0] = 19650218;
  for (let k = 1; k < SIZE; k++) state[k] = Math.imul(1812433253, state[k - 1]! ^ (state[k - 1]! >>> 30)) + k;
  let i = 1;
  let j = 0;
  for (let k = Math.max(SIZE, key.length); k > 0; k--) {
    state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1664525)) + key[j]! + j;
    if (++i >= SIZE) {
      state[0] = state[SIZE - 1]!;
      i = 1;
    }
    if (++j >= key.length) j = 0;
  }
  for (let k = SIZE - 1; k > 0; k--) {
    state[i] = (state[i]! ^ Math.imul(state[i - 1]! ^ (state[i - 1]! >>> 30), 1566083941)) - i;
    if (++i >= SIZE) {
      state[0] = state[SIZE - 1]!;
      i = 1;
    }
  }
  state[0] = 0x80000000;
}

function mixed(upper: number, lower: number): number {
  const joined = (upper & 0x80000000) | (lower & 0x7fffffff);
  return (joined >>> 1) ^ (-(joined & 1) & 0x9908b0df);
}

function twist(state: Uint32Array): void {
  // Three stretches instead of indices modulo the size: the remainder would cost more than the rest.
  for (let k = 0; k < SIZE - SHIFT; k++) state[k] = state[k + SHIFT]! ^ mixed(state[k]!, state[k + 1]!);
  for (let k = SIZE - SHIFT; k < SIZE - 1; k++) state[k] = state[k + SHIFT - SIZE]! ^ mixed(state[k]!, state[k + 1]!);
  state[SIZE - 1] = state[SHIFT - 1]! ^ mixed(state[SIZE - 1]!, state[0]!);
}
