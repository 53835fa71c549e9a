/**
 * A wrong value that looks right: same type, same format, allowed by the schema, and found nowhere else in the answer or
 * the request, so that whoever repeats it later can only have it from here.
 */
import { changeAt, placesAt, placesIn, replaceIn, type DataPath, type Place } from './data-path.js';
import type { JsonObject } from './message.js';
import { accepts, listedValues, promisedAt } from './output-schema.js';
import { changeProse, proseOf } from './prose.js';
import { changeData, dataOf } from './tool-result.js';
import {
  between,
  decimalsOf,
  digitsSwapped,
  formOf,
  numberWith,
  otherCard,
  otherDate,
  otherIban,
  otherIdentifier,
  otherParts,
  otherUuid,
  type Draw,
  type ValueForm,
} from './value-form.js';

/** The ways in which a value can be wrong. */
export const WRONG_OPS = ['scale', 'offset', 'sign', 'unit', 'date', 'digit-swap', 'bool-flip', 'entity-swap'] as const;
export type WrongOp = (typeof WRONG_OPS)[number];

/** Which ways suit which form. */
const OPS_OF_FORM: Readonly<Record<ValueForm, readonly WrongOp[]>> = {
  boolean: ['bool-flip'],
  number: ['offset', 'scale', 'unit', 'digit-swap', 'sign', 'date'],
  amount: ['offset', 'scale', 'unit', 'digit-swap', 'sign'],
  date: ['date'],
  uuid: ['entity-swap'],
  card: ['entity-swap'],
  iban: ['entity-swap'],
  parts: ['entity-swap'],
  identifier: ['entity-swap', 'digit-swap'],
};

/** Factors between units that people mix up: thousands, cents, inches, pounds, miles, minutes. */
const UNIT_FACTORS = [1000, 0.001, 100, 0.01, 2.54, 1 / 2.54, 0.45359237, 1 / 0.45359237, 1.609344, 1 / 1.609344, 60];
const SCALES = [10, 100, 1000, 0.1, 0.01];

/** Draws that are made for one value, and values that are tried, before giving up. */
const MAX_TRIES = 24;
const MAX_CANDIDATES = 40;
/** Longer answers are searched for other occurrences in their first part only. */
const MAX_SEARCHED = 1_000_000;
const MAX_WORD_LENGTH = 256;

/** One value and what takes its place. Without a path it is a word of a text. */
export type WrongValue = { readonly path: DataPath | undefined; readonly clean: unknown; readonly dirty: unknown };

/** What to draw, and from where. */
export type WrongValueOptions = {
  readonly op: WrongOp | 'auto';
  /** Places to draw from; all when undefined. */
  readonly pattern?: DataPath | undefined;
  /** The tool's output schema, when it is known. */
  readonly schema?: JsonObject | undefined;
  /** Further texts in which the wrong value must not occur. */
  readonly besides?: readonly unknown[];
  /** All of `wordsOf` the result and what is besides, when the caller has it at hand. */
  readonly taken?: ReadonlySet<string>;
  readonly draw: Draw;
};

/** Draws a value of the result and a wrong one for it; undefined when no value can be made wrong. */
export function drawWrongValue(result: JsonObject, options: WrongValueOptions): WrongValue | undefined {
  const { op, pattern, schema, draw } = options;
  const taken = options.taken ?? wordsOf([result, ...(options.besides ?? [])]);
  const data = dataOf(result)[0];
  const places: readonly Partial<Place>[] =
    pattern !== undefined ? placesAt(data, pattern) : data === undefined ? wordsIn(result) : placesIn(data);
  const candidates = places.flatMap(({ path, value }) => {
    const promised = schema === undefined || path === undefined ? undefined : promisedAt(schema, path);
    const choices = schema === undefined || promised === undefined ? undefined : listedValues(schema, promised.schema);
    const form = formOf(value);
    const ops: readonly (WrongOp | 'choice')[] =
      choices !== undefined
        ? op === 'auto' || op === 'entity-swap' || typeof value === 'boolean'
          ? ['choice']
          : []
        : waysFor(value, form, op);
    const isAllowed = (made: unknown): boolean =>
      choices !== undefined ||
      typeof made === 'boolean' ||
      (!taken.has(String(made)) && (promised === undefined || accepts(schema!, promised.schema, made)));
    return ops.length === 0 ? [] : [{ path, value, ops, choices, isAllowed, isTelling: isTelling(value, form) }];
  });
  // A value with many digits can be recognised later; a bare 3, or yes and no, could come from anywhere.
  const telling = candidates.filter((candidate) => candidate.isTelling);
  const others = candidates.filter((candidate) => !candidate.isTelling);
  for (const group of [telling, others]) {
    const first = Math.floor(draw() * group.length);
    for (let turn = 0; turn < Math.min(group.length, MAX_CANDIDATES); turn++) {
      const { path, value, ops, choices, isAllowed } = group[(first + turn) % group.length]!;
      for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
        const way = ops[Math.floor(draw() * ops.length)]!;
        const made = way === 'choice' ? choices![Math.floor(draw() * choices!.length)] : madeWrong(value, way, attempt, draw);
        if (made !== undefined && typeof made !== 'object' && made !== value && isLike(made, value, choices) && isAllowed(made))
          return { path, clean: value, dirty: made };
      }
    }
  }
  return undefined;
}

/** Of the same form; a number may have got a checksum by accident. */
function isLike(made: unknown, value: unknown, choices: readonly unknown[] | undefined): boolean {
  if (choices !== undefined) return true;
  return typeof value === 'number' ? typeof made === 'number' && formOf(made) !== undefined : formOf(made) === formOf(value);
}

/** Epoch seconds or milliseconds of this century. */
const isEpoch = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && ((value > 9e8 && value < 5e9) || (value > 9e11 && value < 5e12));

function waysFor(value: unknown, given: ValueForm | undefined, op: WrongOp | 'auto'): readonly WrongOp[] {
  if (given === undefined) return [];
  // One point in time in ten has the checksum of a card.
  const form = isEpoch(value) ? 'number' : given;
  const ways = OPS_OF_FORM[form].filter((way) => way !== 'date' || form === 'date' || isEpoch(value));
  return op === 'auto' ? (isEpoch(value) && form === 'number' ? ['date'] : ways) : ways.filter((way) => way === op);
}

/** Hard to hit by accident: four digits at least, or a fraction. */
function isTelling(value: unknown, form: ValueForm | undefined): boolean {
  if (form === undefined || form === 'boolean') return false;
  return form === 'date' || decimalsOf(String(value)) > 0 || String(value).replace(/\D/g, '').length >= 4;
}

function madeWrong(value: unknown, op: WrongOp, attempt: number, draw: Draw): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') {
    // A whole number with a checksum is remade as what it is.
    if (op === 'entity-swap') return numberOf(otherCard(String(value), draw));
    if (op === 'digit-swap') return numberOf(digitsSwapped(String(value), draw));
    if (op === 'date') return value + between(1, 365, draw) * (value > 9e11 ? 86_400_000 : 86_400) * (draw() < 0.5 ? -1 : 1);
    const decimals = decimalsOf(String(value));
    const made = wrongNumber(value, decimals, op, attempt, draw);
    return made === undefined || Math.round(made * 10 ** decimals) === 0
      ? undefined
      : op === 'sign'
        ? made
        : numberWith(made, decimals, draw);
  }
  if (typeof value !== 'string') return undefined;
  switch (formOf(value)) {
    case 'date':
      return otherDate(value, draw);
    case 'uuid':
      return otherUuid(value, draw);
    case 'card':
      return otherCard(value, draw);
    case 'iban':
      return otherIban(value, draw);
    case 'parts':
      return otherParts(value, draw);
    case 'identifier':
      return op === 'digit-swap' ? digitsSwapped(value, draw) : otherIdentifier(value, draw);
    case 'amount': {
      if (op === 'digit-swap') return digitsSwapped(value, draw);
      const made = wrongNumber(Number(value), decimalsOf(value), op, attempt, draw)?.toFixed(decimalsOf(value));
      return made !== undefined && Number(made) !== 0 && Number(made) !== Number(value) ? made : undefined;
    }
    default:
      return undefined;
  }
}

const numberOf = (text: string | undefined): number | undefined => (text === undefined ? undefined : Number(text));

/** Not rounded yet. Later attempts stay closer, in case the schema sets bounds. */
function wrongNumber(value: number, decimals: number, op: WrongOp, attempt: number, draw: Draw): number | undefined {
  switch (op) {
    case 'sign':
      return -value;
    case 'scale':
      return value * SCALES[Math.floor(draw() * SCALES.length)]!;
    case 'unit': {
      const unit = Math.floor(draw() * (UNIT_FACTORS.length + 1));
      return unit === UNIT_FACTORS.length ? value * 1.8 + 32 : value * UNIT_FACTORS[unit]!;
    }
    case 'offset': {
      const size = Math.abs(value) * 10 ** decimals;
      const isSmall = attempt >= MAX_TRIES / 2 || (decimals === 0 && size < 1000);
      // Six digits make it recognisable; a small count stays a small count.
      const offset = isSmall
        ? between(1, Math.max(9, Math.floor(size)), draw)
        : between(Math.max(size, 1e5), 10 * Math.max(size, 1e5), draw);
      const isDown = isSmall && draw() < 0.5 && offset < size;
      return value + (offset / 10 ** decimals) * (isDown ? -1 : 1) * (value < 0 ? -1 : 1);
    }
    default:
      return undefined;
  }
}

const WORD = /-?[\p{L}\p{N}]+(?:[-_.:#/][\p{L}\p{N}]+)*/gu;

/** Every value and word in these structures, as text. */
export function wordsOf(values: readonly unknown[]): ReadonlySet<string> {
  const words = new Set<string>();
  for (const value of values) {
    const whole = (JSON.stringify(value) ?? '').slice(0, MAX_SEARCHED);
    for (const [word] of whole.matchAll(WORD)) words.add(word);
    for (const { value: part } of placesIn(value)) if (typeof part === 'string') words.add(part);
  }
  return words;
}

/** The words of a result that is no data, each of which may have a form. */
function wordsIn(result: JsonObject): readonly { readonly value: unknown }[] {
  return proseOf(result).flatMap(({ text }) =>
    [...text.slice(0, 100_000).matchAll(WORD)].flatMap(([value]) => (value.length < 2 ? [] : [{ value }])),
  );
}

/** Puts a wrong value into a result: into its data and its texts, or into one of the two only. */
export function withWrongValue(
  result: JsonObject,
  wrong: WrongValue,
  where: 'both' | 'text' | 'structured' = 'both',
): JsonObject | undefined {
  const { path, clean, dirty } = wrong;
  const isStructured = 'structuredContent' in result;
  const edited =
    path === undefined
      ? undefined
      : changeData(result, (data) => {
          const changed = changeAt(data, path, (value) => (value === clean ? dirty : value));
          // Structured content may wrap what a text holds bare: there the value stands elsewhere, and must not stay true.
          return changed === data && isWord(String(clean)) ? replaceIn(data, clean, dirty) : changed;
        });
  // A text in words beside the data says the same value in its own way.
  const changed = { ...changeProse(edited ?? result, ({ text }) => replaceWord(text, String(clean), String(dirty))) };
  if (where === 'structured') changed['content'] = result['content'];
  if (where === 'text' && isStructured) changed['structuredContent'] = result['structuredContent'];
  return JSON.stringify(changed) === JSON.stringify(result) ? undefined : changed;
}

/** Yes and no, and single digits, stand for too many things; a passage is no word. */
const isWord = (clean: string): boolean => clean.length >= 2 && clean.length <= MAX_WORD_LENGTH && !/^(true|false)$/.test(clean);

/** A whole word of a text, wherever it stands, becomes another. */
export function replaceWord(text: string, clean: string, dirty: string): string {
  if (!isWord(clean)) return text;
  const literal = clean.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return text.replace(
    new RegExp(`(?<![\\p{L}\\p{N}]|[\\p{L}\\p{N}][-_.:#/])${literal}(?![\\p{L}\\p{N}]|[-_.:#/][\\p{L}\\p{N}])`, 'gu'),
    () => dirty,
  );
}
