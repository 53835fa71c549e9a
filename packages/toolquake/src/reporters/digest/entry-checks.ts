/** What a value in a line from outside must be. */

/** Is a value from outside what it must be? */
export type Check = (value: unknown) => boolean;

/** Larger than every seed, count and time; sums and squares of such numbers stay finite. */
const MAX_NUMBER = 1e16;

/** A number that can be reckoned with. */
export const number: Check = (value) => typeof value === 'number' && Math.abs(value) <= MAX_NUMBER;
/** Not before the start. */
export const time: Check = (value) => number(value) && (value as number) >= 0;
/** From 0 to 1. */
export const share: Check = (value) => time(value) && (value as number) <= 1;
/** Any text. */
export const text: Check = (value) => typeof value === 'string';
/** Yes or no. */
export const flag: Check = (value) => typeof value === 'boolean';
/** One value. */
export const scalar: Check = (value) => number(value) || text(value) || flag(value);
/** Keys and values. */
export const object: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);
/** May be left out. */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || check(value);
/** A list of such. */
export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);
/** Any keys with such values. */
export const recordOf =
  (check: Check): Check =>
  (value) =>
    object(value) && Object.values(value as object).every(check);
/** One of these words. */
export const oneOf =
  (...words: readonly string[]): Check =>
  (value) =>
    words.includes(value as string);
/** These keys, and any others. */
export const shaped =
  (shape: Readonly<Record<string, Check>>): Check =>
  (value) =>
    object(value) && Object.entries(shape).every(([key, check]) => check((value as Record<string, unknown>)[key]));
