/** From values to pixels, with ticks at round numbers. */

/** A scale. `ticks` lie within the values it was made for. */
export type Scale = { at(value: number): number; readonly ticks: readonly number[]; readonly low: number; readonly high: number };

/** Where values and pixels begin and end. */
export type ScaleOptions = {
  readonly low: number;
  readonly high: number;
  readonly from: number;
  readonly to: number;
  readonly ticks?: number;
};

/** 1, 2 or 5 times a power of ten, the smallest that is at least `value`. */
export function niceStep(value: number): number {
  // Smaller than anything that is measured: powers of ten run out down there.
  if (!(value > 1e-12) || !Number.isFinite(value)) return 1;
  const unit = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 5, 10].find((one) => one * unit >= value * (1 - 1e-9)) ?? 10;
  return factor * unit;
}

/** Even steps, widened to whole ones at the top. */
export function linearScale({ low, high, from, to, ticks: wanted = 4 }: ScaleOptions): Scale {
  const step = niceStep((high - low) / wanted);
  const bottom = Math.floor(low / step + 1e-9) * step;
  const top = Math.max(bottom + step, Math.ceil(high / step - 1e-9) * step);
  const count = Math.min(50, Math.round((top - bottom) / step));
  return {
    at: (value) => from + ((value - bottom) / (top - bottom)) * (to - from),
    // Multiplied, not added up, and cut to what was meant: 0.30000000000000004 is no label.
    ticks: Array.from({ length: count + 1 }, (_, index) => Number((bottom + index * step).toPrecision(12))),
    low: bottom,
    high: top,
  };
}

/** Time from the first to the last moment, not widened: there is nothing after the end. */
export function timeScale({ low, high, from, to, ticks: wanted = 6 }: ScaleOptions): Scale {
  const end = high > low ? high : low + 1;
  const step = timeStep((end - low) / wanted);
  const first = Math.ceil(low / step);
  const count = Math.min(50, Math.floor(end / step) - first + 1);
  return {
    at: (value) => from + ((value - low) / (end - low)) * (to - from),
    ticks: Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(12))),
    low,
    high: end,
  };
}

/** Seconds and minutes are counted in sixties. */
function timeStep(ms: number): number {
  if (ms <= 10_000) return niceStep(ms);
  const steps = [15, 20, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 28_800, 86_400].map((seconds) => seconds * 1000);
  return steps.find((step) => step >= ms) ?? niceStep(ms / 86_400_000) * 86_400_000;
}

/** Less room than this for a power of ten, and only the powers themselves are labelled. */
const MIN_DECADE_PIXELS = 90;

/** Equal factors take equal room. Values must be above 0. */
export function logScale({ low, high, from, to }: ScaleOptions): Scale {
  const bottom = Math.log10(low);
  const top = Math.max(bottom + 0.1, Math.log10(high));
  const decades: number[] = [];
  for (let power = Math.floor(bottom); power <= Math.ceil(top); power++) decades.push(power);
  const ticksAt = (factors: readonly number[]): readonly number[] =>
    decades
      .flatMap((power) => factors.map((factor) => factor * 10 ** power))
      .filter((tick) => Math.log10(tick) >= bottom - 1e-9 && Math.log10(tick) <= top + 1e-9)
      .map((tick) => Number(tick.toPrecision(12)));
  // Three labels per power of ten need some room each; one label alone says nothing about a scale.
  const powers = ticksAt([1]);
  const isRoomy = Math.abs(to - from) / (top - bottom) >= MIN_DECADE_PIXELS || powers.length < 2;
  return {
    at: (value) => from + ((Math.log10(Math.max(value, low)) - bottom) / (top - bottom)) * (to - from),
    ticks: isRoomy ? ticksAt([1, 2, 5]) : powers,
    low,
    high,
  };
}

/** A log scale where values span more than this factor: a linear one would show the largest alone. */
const WIDE = 20;

/** The scale that shows most: linear from 0, or logarithmic when the range is wide. */
export function rangeScale({
  values,
  from,
  to,
  ticks,
}: {
  values: readonly number[];
  from: number;
  to: number;
  ticks?: number;
}): Scale & { readonly isLog: boolean } {
  const known = values.filter((value) => value > 1e-9);
  const high = Math.max(...known);
  // What is more than eight powers of ten smaller stands at the edge.
  const low = Math.max(Math.min(...known), high / 1e8);
  const isLog = known.length > 0 && high / low > WIDE;
  const bounds = { from, to, ...(ticks === undefined ? {} : { ticks }) };
  if (!isLog) return { ...linearScale({ low: 0, high: known.length === 0 ? 1 : high, ...bounds }), isLog };
  const floor = 10 ** Math.floor(Math.log10(low));
  const nearest = [5, 2, 1].map((factor) => factor * floor).find((one) => one <= low) ?? floor;
  return { ...logScale({ low: nearest, high: high * 1.05, ...bounds }), isLog };
}
