/**
 * The form of a value, and other values of the same form: a date stays a date, a checksum stays right. Each maker takes
 * draws and returns undefined where it cannot make another; none of them knows what the value is for.
 */

/** Gives the next draw in [0, 1). */
export type Draw = () => number;

/** What a value looks like. `amount` is a number written as text; `parts` are a time, a local date or an address. */
export type ValueForm = 'boolean' | 'number' | 'amount' | 'date' | 'uuid' | 'card' | 'iban' | 'parts' | 'identifier';

const AMOUNT = /^-?(0|[1-9]\d{0,14})(\.\d{1,9})?$/;
const DATE = /^(\d{4})-(\d{2})(?:-(\d{2})(?=$|[T ]\d{2}:\d{2}))?/;
const WHOLE_DATE = /^\d{4}-\d{2}(-\d{2}([T ]\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?)?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const CARD = /^\d(?:[ -]?\d){12,18}$/;
const IBAN = /^[A-Z]{2}\d{2}(?: ?[A-Z0-9]){11,30}$/;
const PARTS = /^\d{1,2}:\d{2}$|^\d{1,4}([.:/])\d{1,3}\1\d{1,4}(?:\1\d{1,3})?$/;
const IDENTIFIER = /^(?=.*\d)[\p{L}\p{N}]+(?:[-_.:#/][\p{L}\p{N}]+)*$/u;
const MAX_IDENTIFIER_LENGTH = 64;

/** The form of a value; undefined for what has none that we could keep (words, structures, null). */
export function formOf(value: unknown): ValueForm | undefined {
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number') return isWritable(value) ? (isCard(String(value)) ? 'card' : 'number') : undefined;
  if (typeof value !== 'string' || value.length > MAX_IDENTIFIER_LENGTH) return undefined;
  if (UUID.test(value)) return 'uuid';
  if (isDate(value)) return 'date';
  if (isCard(value)) return 'card';
  if (isIban(value)) return 'iban';
  if (AMOUNT.test(value)) return 'amount';
  if (PARTS.test(value)) return 'parts';
  return IDENTIFIER.test(value) ? 'identifier' : undefined;
}

/** Written without an exponent, and small enough to be changed by a few digits and still be exact. */
function isWritable(value: number): boolean {
  return Math.abs(value) <= Number.MAX_SAFE_INTEGER && /^-?\d+(\.\d{1,9})?$/.test(String(value));
}

/** Digits after the point. */
export const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0;

/**
 * A number with so many decimals, exactly: JSON writes no trailing zeros, so the last digit is drawn when it would be
 * one. Undefined when it cannot be written like that.
 */
export function numberWith(value: number, decimals: number, draw: Draw): number | undefined {
  const unit = 10 ** decimals;
  let parts = Math.round(value * unit);
  if (decimals > 0 && parts % 10 === 0) parts += 1 + Math.floor(draw() * 9);
  const made = Number((parts / unit).toFixed(decimals));
  return isWritable(made) && decimalsOf(String(made)) === decimals ? made : undefined;
}

/** A draw among the whole numbers from `low` to `high`. */
export const between = (low: number, high: number, draw: Draw): number => low + Math.floor(draw() * (high - low + 1));

/** Two neighbouring digits change places: the commonest slip there is. */
export function digitsSwapped(text: string, draw: Draw): string | undefined {
  const swaps: string[] = [];
  for (let at = 0; at + 1 < text.length; at++) {
    const [one, two] = [text[at]!, text[at + 1]!];
    if (!/\d/.test(one) || !/\d/.test(two) || one === two) continue;
    // A number would lose a leading or a trailing zero, and with it its form.
    if (two === '0' && (at === 0 || !/\d/.test(text[at - 1]!))) continue;
    if (one === '0' && at + 2 === text.length && text.includes('.')) continue;
    swaps.push(text.slice(0, at) + two + one + text.slice(at + 2));
  }
  return swaps[Math.floor(draw() * swaps.length)];
}

/** Another day, up to a year away; what follows the day stays to the letter. A month stays a month. */
export function otherDate(text: string, draw: Draw): string | undefined {
  const match = DATE.exec(text);
  if (match === null) return undefined;
  const [whole, year, month, day] = match;
  const steps = between(1, day === undefined ? 24 : 365, draw) * (draw() < 0.5 ? -1 : 1);
  const moved =
    day === undefined
      ? new Date(Date.UTC(Number(year), Number(month) - 1 + steps, 1))
      : new Date(Date.UTC(Number(year), Number(month) - 1, Number(day) + steps));
  const written = moved.toISOString().slice(0, whole.length);
  return isDate(written) ? written + text.slice(whole.length) : undefined;
}

function isDate(text: string): boolean {
  const match = DATE.exec(text);
  if (match === null || !WHOLE_DATE.test(text)) return false;
  const [, year, month, day = '01'] = match;
  if (Number(year) < 1000) return false;
  const moment = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)));
  return moment.toISOString().startsWith(`${year}-${month}-${day}`);
}

/** Another identifier of the same pattern: digits become digits, everything else stays. */
export function otherIdentifier(text: string, draw: Draw): string {
  return text.replace(/[0-9]+/g, (run) =>
    // A leading zero stays one, and no other becomes one.
    Array.from(run, (digit, at) => (at > 0 || run.length === 1 ? between(0, 9, draw) : digit === '0' ? 0 : between(1, 9, draw))).join(''),
  );
}

/**
 * Other numbers in the places of the old ones, each as wide and none larger: 61 is no minute and 300 no part of an
 * address. A year stays, and a day may have to suit a shorter month.
 */
export function otherParts(text: string, draw: Draw): string {
  const isDated = /\d{4}/.test(text);
  return text.replace(/\d+/g, (run) => {
    if (run.length > 3) return run;
    const highest = isDated ? Math.min(Number(run), 28) : Number(run);
    const lowest = run.startsWith('0') ? Math.min(1, highest) : 10 ** (run.length - 1);
    return String(between(lowest, highest, draw)).padStart(run.length, '0');
  });
}

/** Another UUID of the same version and variant, in the same case. */
export function otherUuid(text: string, draw: Draw): string {
  const made = text.replace(/[0-9a-f]/gi, (digit, at: number) => (at === 14 || at === 19 ? digit : between(0, 15, draw).toString(16)));
  return /[A-F]/.test(text) ? made.toUpperCase() : made.toLowerCase();
}

/** Another card number of the same issuer and length, with a checksum that is right. */
export function otherCard(text: string, draw: Draw): string {
  const digits = text.replace(/\D/g, '');
  const body = Array.from(digits.slice(0, -1), (digit, at) => (at < 6 ? digit : String(between(0, 9, draw))));
  const check = Array.from({ length: 10 }, (_, digit) => String(digit)).find((digit) => hasLuhn([...body, digit].join('')))!;
  return refill(text, /\d/g, [...body, check]);
}

const isCard = (text: string): boolean => CARD.test(text) && hasLuhn(text.replace(/\D/g, ''));

function hasLuhn(digits: string): boolean {
  const sum = Array.from(digits)
    .reverse()
    .reduce((total, digit, at) => {
      const value = Number(digit) * (at % 2 === 0 ? 1 : 2);
      return total + (value > 9 ? value - 9 : value);
    }, 0);
  return sum % 10 === 0;
}

/** Another account at the same bank, with check digits that are right. */
export function otherIban(text: string, draw: Draw): string {
  const plain = text.replaceAll(' ', '');
  const account = Array.from(plain.slice(4), (letter, at) =>
    at >= (plain.length - 4) / 2 && /\d/.test(letter) ? String(between(0, 9, draw)) : letter,
  );
  const country = plain.slice(0, 2);
  const check = String(98 - remainder97(`${account.join('')}${country}00`)).padStart(2, '0');
  return refill(text, /[A-Z0-9]/g, Array.from(country + check + account.join('')));
}

const isIban = (text: string): boolean => {
  const plain = text.replaceAll(' ', '');
  return IBAN.test(text) && remainder97(plain.slice(4) + plain.slice(0, 4)) === 1;
};

/** Letters count from A = 10, as ISO 13616 says. */
function remainder97(text: string): number {
  let rest = 0;
  for (const letter of text) for (const digit of String(parseInt(letter, 36))) rest = (rest * 10 + Number(digit)) % 97;
  return rest;
}

/** The letters in order in the places of the old ones; separators stay where they are. */
function refill(text: string, places: RegExp, letters: readonly string[]): string {
  let at = 0;
  return text.replace(places, () => letters[at++] ?? '');
}
