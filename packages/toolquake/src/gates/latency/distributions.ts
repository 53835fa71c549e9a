/** The few distributions that the gates test against: normal, Student's t, and counts drawn without replacement. */

/** The chance that a standard normal variable exceeds `z`. */
export function normalUpperTail(z: number): number {
  if (z < 0) return 1 - normalUpperTail(-z);
  const density = Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  if (z >= 3) {
    // Laplace's continued fraction, from its far end: exact where the series below would subtract nearly equal numbers.
    let rest = z;
    for (let step = 60; step >= 1; step--) rest = z + step / rest;
    return density / rest;
  }
  let term = z;
  let sum = z;
  for (let odd = 3; term > 1e-17 * sum; odd += 2) {
    term *= (z * z) / odd;
    sum += term;
  }
  return 0.5 - density * sum;
}

const quantiles = new Map<string, number>();

/** The value that Student's t exceeds with the chance `upper` (at most 0.5). Gates ask for the same few again and again. */
export function studentQuantile(upper: number, freedom: number): number {
  const key = `${upper} ${freedom}`;
  let quantile = quantiles.get(key);
  if (quantile === undefined) quantiles.set(key, (quantile = findStudentQuantile(upper, freedom)));
  return quantile;
}

function findStudentQuantile(upper: number, freedom: number): number {
  let low = 0;
  let high = 1;
  while (studentUpperTail(high, freedom) > upper) high *= 2;
  for (let step = 0; step < 80; step++) {
    const middle = (low + high) / 2;
    if (studentUpperTail(middle, freedom) > upper) low = middle;
    else high = middle;
  }
  return high;
}

/** The chance that Student's t exceeds `t`, which is not negative. */
export function studentUpperTail(t: number, freedom: number): number {
  return incompleteBeta(freedom / (freedom + t * t), freedom / 2, 0.5) / 2;
}

/** The regularised incomplete beta function, by its continued fraction. */
function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0 || x >= 1) return x <= 0 ? 0 : 1;
  // The fraction converges fast on one side only; the other is its mirror image.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(1 - x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log1p(-x) - logBeta(a, b)) / a;
  let rest = 0;
  for (let step = 200; step >= 1; step--) {
    const half = Math.floor(step / 2);
    const coefficient =
      step % 2 === 0
        ? (half * (b - half) * x) / ((a + step - 1) * (a + step))
        : (-(a + half) * (a + b + half) * x) / ((a + step - 1) * (a + step));
    rest = coefficient / (1 + rest);
  }
  return front / (1 + rest);
}

const logBeta = (a: number, b: number): number => logGamma(a) + logGamma(b) - logGamma(a + b);

/** Stirling's series, after moving the argument to where it is exact to the last digits. */
function logGamma(value: number): number {
  let shift = 0;
  let x = value;
  for (; x < 12; x++) shift += Math.log(x);
  const square = 1 / (x * x);
  const series = (1 / 12 - square * (1 / 360 - square * (1 / 1260 - square / 1680))) / x;
  return (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series - shift;
}

/**
 * Fisher's exact test, one-sided: the chance that at least `hits` of the `marked` ones fall among `drawn` of `total`,
 * if it makes no difference which are drawn.
 */
export function fisherUpperTail({ hits, drawn, marked, total }: Record<'hits' | 'drawn' | 'marked' | 'total', number>): number {
  const most = Math.min(drawn, marked);
  const logAll = logChoose(total, drawn);
  let sum = 0;
  for (let count = Math.max(hits, drawn + marked - total); count <= most; count++) {
    sum += Math.exp(logChoose(marked, count) + logChoose(total - marked, drawn - count) - logAll);
  }
  return Math.min(1, sum);
}

const logChoose = (from: number, count: number): number => logGamma(from + 1) - logGamma(count + 1) - logGamma(from - count + 1);
