/** Reads single values of unknown input. Each reader returns the value or reports a problem; none throws or stops. */
import type { ErrorCode } from './errors.js';
import { isObject, type JsonObject } from './message.js';
import { suggest } from './nearest-word.js';
import type { Point } from './plan.js';

/** Where in the input, from the root: keys and indexes. */
export type PlanPath = readonly (string | number)[];

/** One thing that is wrong with a plan. */
export type PlanProblem = { readonly path: PlanPath; readonly code: ErrorCode; readonly message: string; readonly advice?: string };

/** A range of numbers; absent ends are open. */
export type NumberRange = { readonly min?: number; readonly max?: number; readonly isWhole?: boolean; readonly unit?: string };

/** Readers that all report to one list. */
export type ValueReader = {
  readonly problems: PlanProblem[];
  report(path: PlanPath, code: ErrorCode, message: string, advice?: string): undefined;
  /** An object with no other keys than these. */
  object(value: unknown, path: PlanPath, keys: readonly string[]): JsonObject | undefined;
  number(value: unknown, path: PlanPath, range: NumberRange): number | undefined;
  /** One of some words. */
  word<Word extends string>(value: unknown, path: PlanPath, words: readonly Word[]): Word | undefined;
  text(value: unknown, path: PlanPath): string | undefined;
  flag(value: unknown, path: PlanPath): boolean | undefined;
  /** A name or a list of names. */
  names(value: unknown, path: PlanPath): readonly string[] | undefined;
  /** A number of matches, or a time like `20s`. */
  point(value: unknown, path: PlanPath): Point | undefined;
};

const UNIT_MS: ReadonlyMap<string, number> = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
]);

/** Milliseconds of `500ms`, `1.5s`, `2m` or `1h`; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  const [, amount, unit] = /^(\d{1,12}(?:\.\d{1,6})?) ?(ms|s|m|h)$/.exec(text) ?? [];
  return amount === undefined || unit === undefined ? undefined : Number(amount) * UNIT_MS.get(unit)!;
}

/** `rules[0].when.tool`. */
export function pathText(path: PlanPath): string {
  let text = '';
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`;
  return text === '' ? 'the plan' : text;
}

/** An own member; never one that every object inherits. */
export function member(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

/** A value as a short word in a message. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : `a ${typeof value}`;
}

function rangeText({ min, max, unit }: NumberRange): string {
  const what = unit === undefined ? '' : ` ${unit}`;
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}${what}`;
  if (min !== undefined) return ` of at least ${min}${what}`;
  return max === undefined ? '' : ` of at most ${max}${what}`;
}

/** The allowed number that is nearest to a refused one. */
function nearestNumber(value: number, { min = -Infinity, max = Infinity, isWhole = false }: NumberRange): number | undefined {
  const nearest = Math.min(max, Math.max(min, isWhole ? Math.round(value) : value));
  return Number.isFinite(nearest) ? nearest : undefined;
}

/** Starts an empty list of problems. */
export function createValueReader(): ValueReader {
  const problems: PlanProblem[] = [];
  const reader: ValueReader = {
    problems,
    report(path, code, message, advice) {
      problems.push(advice === undefined ? { path, code, message } : { path, code, message, advice });
      return undefined;
    },
    object(value, path, keys) {
      if (!isObject(value)) {
        return reader.report(
          path,
          'WRONG_TYPE',
          `${pathText(path)} must be a mapping, not ${describeValue(value)}.`,
          `Its keys: ${keys.join(', ')}.`,
        );
      }
      for (const key of Object.keys(value)) {
        if (keys.includes(key)) continue;
        reader.report([...path, key], 'UNKNOWN_KEY', `${pathText(path)} has the unknown key ${describeValue(key)}.`, suggest(key, keys));
      }
      return value;
    },
    number(value, path, range) {
      const kind = range.isWhole === true ? 'a whole number' : 'a number';
      const wanted = `${pathText(path)} must be ${kind}${rangeText(range)}, not ${describeValue(value)}.`;
      if (typeof value !== 'number') return reader.report(path, 'WRONG_TYPE', wanted);
      const { min = -Infinity, max = Infinity } = range;
      const isGood = Number.isFinite(value) && value >= min && value <= max && (range.isWhole !== true || Number.isSafeInteger(value));
      if (isGood) return value;
      const nearest = nearestNumber(value, range);
      return reader.report(path, 'OUT_OF_RANGE', wanted, nearest === undefined ? undefined : `The nearest allowed value is ${nearest}.`);
    },
    word(value, path, words) {
      const found = words.find((word) => word === value);
      if (found !== undefined) return found;
      const message = `${pathText(path)} must be ${words.map((word) => `"${word}"`).join(' or ')}, not ${describeValue(value)}.`;
      return reader.report(path, 'WRONG_TYPE', message, typeof value === 'string' ? suggest(value, words) : undefined);
    },
    text(value, path) {
      if (typeof value === 'string') return value;
      return reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be text, not ${describeValue(value)}.`, quoteAdvice(value));
    },
    flag(value, path) {
      if (typeof value === 'boolean') return value;
      return reader.report(path, 'WRONG_TYPE', `${pathText(path)} must be true or false, not ${describeValue(value)}.`);
    },
    names(value, path) {
      if (typeof value === 'string' && value !== '') return [value];
      if (!Array.isArray(value)) {
        return reader.report(
          path,
          'WRONG_TYPE',
          `${pathText(path)} must be a name or a list of names, not ${describeValue(value)}.`,
          quoteAdvice(value),
        );
      }
      const names = value.filter((name): name is string => typeof name === 'string' && name !== '');
      value.forEach((name: unknown, index) => {
        if (typeof name === 'string' && name !== '') return;
        reader.report(
          [...path, index],
          'WRONG_TYPE',
          `${pathText([...path, index])} must be a name, not ${describeValue(name)}.`,
          quoteAdvice(name),
        );
      });
      return names.length === value.length ? names : undefined;
    },
    point(value, path) {
      if (typeof value === 'number') {
        const matches = reader.number(value, path, { min: 0, isWhole: true, unit: 'matches' });
        return matches === undefined ? undefined : { matches };
      }
      const ms = typeof value === 'string' ? parseDuration(value) : undefined;
      if (ms !== undefined) return { ms };
      const message = `${pathText(path)} must be a number of matches or a time, not ${describeValue(value)}.`;
      return reader.report(path, 'WRONG_TYPE', message, 'Times look like "500ms", "1.5s", "2m" or "1h".');
    },
  };
  return reader;
}

/** YAML reads `tool: 42` as a number and `tool: on` as text: a frequent surprise. */
function quoteAdvice(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'boolean' ? `Put it in quotes: "${value}".` : undefined;
}
