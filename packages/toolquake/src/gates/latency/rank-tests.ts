/** Rank tests, one-sided towards "slower": they ask for no shape of the noise, and one wild value has one rank. */
import { normalUpperTail } from './distributions.js';

/** Up to here the distribution of the rank sum is counted out; beyond, the normal law is exact to four digits. */
const MAX_EXACT = 120;

/** Wilcoxon's signed-rank test: the chance of differences this far above zero if up and down were equally likely. */
export function wilcoxonUpperTail(differences: ArrayLike<number>): number {
  const values = Array.from(differences).filter((value) => value !== 0);
  if (values.length === 0) return 1;
  values.sort((a, b) => Math.abs(a) - Math.abs(b));
  const { ranks, hasTies, tieTerm } = doubledRanks(values.map(Math.abs));
  const doubledSum = values.reduce((sum, value, index) => (value > 0 ? sum + ranks[index]! : sum), 0);
  const count = values.length;
  if (count <= MAX_EXACT) {
    const tails = hasTies ? tailsOf(ranks) : untiedTails(count);
    return tails[hasTies ? doubledSum : doubledSum / 2]!;
  }
  const mean = (count * (count + 1)) / 4;
  const variance = (count * (count + 1) * (2 * count + 1)) / 24 - tieTerm / 48;
  return normalUpperTail((doubledSum / 2 - mean - 0.5) / Math.sqrt(variance));
}

/** Mann and Whitney's test by its normal limit, for samples of twenty and more: the chance that `candidate` ranks this high by luck. */
export function mannWhitneyUpperTail(baseline: ArrayLike<number>, candidate: ArrayLike<number>): number {
  const all = [
    ...Array.from(baseline, (value) => ({ value, isCandidate: false })),
    ...Array.from(candidate, (value) => ({ value, isCandidate: true })),
  ].sort((a, b) => a.value - b.value);
  const { ranks, tieTerm } = doubledRanks(all.map(({ value }) => value));
  const doubledSum = all.reduce((sum, { isCandidate }, index) => (isCandidate ? sum + ranks[index]! : sum), 0);
  const [m, n] = [baseline.length, candidate.length];
  const total = m + n;
  const above = doubledSum / 2 - (n * (n + 1)) / 2 - (m * n) / 2 - 0.5;
  const variance = ((m * n) / 12) * (total + 1 - tieTerm / (total * (total - 1)));
  return variance <= 0 ? 1 : normalUpperTail(above / Math.sqrt(variance));
}

/** Twice the ranks of ascending numbers, so that equals, which share the mean of their ranks, stay whole numbers. */
function doubledRanks(ascending: readonly number[]): {
  readonly ranks: readonly number[];
  readonly hasTies: boolean;
  readonly tieTerm: number;
} {
  const ranks: number[] = [];
  let tieTerm = 0;
  for (let start = 0; start < ascending.length;) {
    let end = start + 1;
    while (end < ascending.length && ascending[end] === ascending[start]) end++;
    for (let index = start; index < end; index++) ranks.push(start + end + 1);
    tieTerm += (end - start) ** 3 - (end - start);
    start = end;
  }
  return { ranks, hasTies: tieTerm > 0, tieTerm };
}

const untied = new Map<number, Float64Array>();

/** The same for every series of this length without equals, so it is counted out once. */
function untiedTails(count: number): Float64Array {
  let tails = untied.get(count);
  if (tails === undefined) untied.set(count, (tails = tailsOf(Array.from({ length: count }, (_, index) => index + 1))));
  return tails;
}

/** For each sum, the chance that the ranks with a plus reach it when each sign is the toss of a coin. */
function tailsOf(ranks: readonly number[]): Float64Array {
  const chances = new Float64Array(ranks.reduce((sum, rank) => sum + rank, 0) + 1);
  chances[0] = 1;
  let reach = 0;
  for (const rank of ranks) {
    reach += rank;
    for (let sum = reach; sum >= 0; sum--) chances[sum] = (chances[sum]! + (sum >= rank ? chances[sum - rank]! : 0)) / 2;
  }
  for (let sum = chances.length - 2; sum >= 0; sum--) chances[sum] = chances[sum]! + chances[sum + 1]!;
  return chances;
}

/**
 * Holm's step-down: which of many tests stand when the chance of any false alarm among all of them is to stay below `family`.
 * The answer has the order of the input.
 */
export function holm(chances: readonly number[], family: number): readonly boolean[] {
  const order = chances.map((_, index) => index).sort((a, b) => chances[a]! - chances[b]!);
  const firstKept = order.findIndex((test, rank) => chances[test]! > family / (chances.length - rank));
  const rejected = new Set(firstKept === -1 ? order : order.slice(0, firstKept));
  return chances.map((_, index) => rejected.has(index));
}
