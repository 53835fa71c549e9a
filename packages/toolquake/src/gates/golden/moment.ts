/** Times in data: ISO texts, or numbers in seconds or milliseconds since 1970. */

/** Smaller numbers are seconds: as milliseconds they would lie before 1973. */
const FIRST_MS = 1e11;
const ISO = /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?$/;

/** Milliseconds since 1970; undefined for what is no time. */
export function momentOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value < FIRST_MS ? value * 1000 : value;
  const at = typeof value === 'string' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}

/** Does a text say when something was, to the minute at least? */
export const isIsoTime = (value: unknown): value is string => typeof value === 'string' && ISO.test(value) && momentOf(value) !== undefined;
