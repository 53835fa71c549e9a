import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { keyedRandom, sequentialRandom } from './random.js';

const MASK = (1n << 64n) - 1n;

/** The algorithm of docs/keyed-draws.md again, in big integers and without a line shared with random.ts. */
function oracle(seed: number, rule: string, scope: string, ordinal: number, index: number): number {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(`${seed}\x1f${rule}\x1f${scope}`, 'utf8')) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & MASK;
  hash ^= ((BigInt(ordinal) % 2n ** 32n) << 32n) | (BigInt(index) % 2n ** 32n);
  hash = ((hash ^ (hash >> 30n)) * 0xbf58476d1ce4e5b9n) & MASK;
  hash = ((hash ^ (hash >> 27n)) * 0x94d049bb133111ebn) & MASK;
  return Number((hash ^ (hash >> 31n)) >> 11n) / 2 ** 53;
}

/** Pearson's statistic of draws over equal bins. */
function chiSquare(draws: Iterable<number>, bins: number): number {
  const counts = Array.from({ length: bins }, () => 0);
  let total = 0;
  for (const draw of draws) {
    counts[Math.floor(draw * bins)]!++;
    total++;
  }
  const expected = total / bins;
  return counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
}

/** Mean plus six standard deviations of a chi-square with 99 degrees of freedom: fixed seeds never meet it by chance. */
const CHI_SQUARE_99_LIMIT = 99 + 6 * Math.sqrt(2 * 99);

test('agrees with an implementation in big integers for any key, ordinal and index', () => {
  const anyText = fc.string({
    unit: fc.oneof(fc.constantFrom('\ud800', '\udfff', '\u0000', '\u001f', 'é', '😀'), fc.string({ minLength: 1, maxLength: 1 })),
  });
  const anyWord = fc.oneof(fc.nat(20), fc.nat(), fc.integer({ min: 2 ** 32 - 2, max: 2 ** 32 + 2 }));
  fc.assert(
    fc.property(fc.oneof(fc.nat(), fc.maxSafeNat()), anyText, anyText, anyWord, anyWord, (seed, rule, scope, ordinal, index) => {
      expect(keyedRandom(seed).stream(rule, scope).draw(ordinal, index)).toBe(oracle(seed, rule, scope, ordinal, index));
    }),
    { numRuns: 2000 },
  );
});

describe('the published test vectors', () => {
  const page = readFileSync(new URL('../../../../docs/keyed-draws.md', import.meta.url), 'utf8');
  const table = page.slice(page.indexOf('<!-- vectors:begin -->'), page.indexOf('<!-- vectors:end -->'));
  const rows = table
    .split('\n')
    .slice(3)
    .filter((line) => line.startsWith('|'))
    .map((line) => line.slice(2, -2).split(' | '));

  test('are there', () => {
    expect(rows.length).toBeGreaterThanOrEqual(12);
  });

  test.each(rows)('hold for seed %s, rule %s, scope %s, ordinal %s, index %s', (...cells) => {
    const [seed, rule, scope, ordinal, index, draw] = cells.map((cell): unknown => JSON.parse(cell.replaceAll('`', '')));
    const values = [Number(seed), String(rule), String(scope), Number(ordinal), Number(index)] as const;
    expect(keyedRandom(values[0]).stream(values[1], values[2]).draw(values[3], values[4])).toBe(draw);
    expect(oracle(...values)).toBe(draw);
  });
});

test('depends on nothing but its five inputs', () => {
  const one = keyedRandom(7).stream('rule', 'default/search');
  const draws = [3, 1, 2].map((ordinal) => one.draw(ordinal, 0));
  const other = keyedRandom(7);
  other.stream('another', 'default/search').draw(1, 0);
  const again = other.stream('rule', 'default/search');
  expect([1, 2, 3].map((ordinal) => again.draw(ordinal, 0))).toEqual([draws[1], draws[2], draws[0]]);
});

test.each([
  ['ordinals', (n: number): number => keyedRandom(42).stream('rule', 'default/search').draw(n, 0)],
  ['indexes', (n: number): number => keyedRandom(42).stream('rule', 'default/search').draw(1, n)],
  ['seeds', (n: number): number => keyedRandom(n).stream('rule', 'default/search').draw(1, 0)],
  ['rule ids', (n: number): number => keyedRandom(42).stream(`rule-${n}`, 'default/search').draw(1, 0)],
  ['scopes', (n: number): number => keyedRandom(42).stream('rule', `client#${n}/search`).draw(1, 0)],
])('is uniform over consecutive %s, and neighbours are independent', (_name, draw) => {
  const draws = Array.from({ length: 20_000 }, (_, n) => draw(n));
  expect(Math.min(...draws)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...draws)).toBeLessThan(1);
  expect(chiSquare(draws, 100)).toBeLessThan(CHI_SQUARE_99_LIMIT);
  // Pairs of neighbours over a 10 x 10 grid: a lattice would pass the first test and fail here.
  const pairs = draws.slice(1).map((value, n) => (Math.floor(draws[n]! * 10) + value) / 10);
  expect(chiSquare(pairs, 100)).toBeLessThan(CHI_SQUARE_99_LIMIT);
});

test('draws in the order it is asked when one generator serves all', () => {
  let next = 0;
  const source = sequentialRandom(() => next++);
  expect([source.stream('a', 'x').draw(5, 1), source.stream('b', 'y').draw(1, 0)]).toEqual([0, 1]);
});
