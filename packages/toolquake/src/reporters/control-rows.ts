/** Control of running proxies in words and columns, the same in every rendering. */
import { changeText, type ControlRecords } from './digest/control-book.js';
import { stateOf, type RuleRecord } from './digest/rule-book.js';
import { duration, grouped } from './figures.js';

/** How often a rule fired, or why that is no number. */
export function firedText(rule: RuleRecord, never = 'never'): string {
  const state = stateOf(rule);
  return state === 'fired' ? grouped(rule.fired) : state === 'never' ? never : state;
}

/** One row per change. */
export const CONTROL_HEAD: readonly string[] = ['what', 'by', 'rules or task', 'run', 'after', 'for'];

/** Columns of `CONTROL_HEAD` that are words. */
export const CONTROL_WORDS: readonly number[] = [1, 2, 3];

/** See `CONTROL_HEAD`. */
export function controlRows({ list }: ControlRecords): readonly (readonly string[])[] {
  return list.map((one) => [
    one.what,
    one.by,
    changeText(one),
    `${one.run} (${one.label})`,
    duration(one.atMs),
    one.lastsMs === undefined ? '' : duration(one.lastsMs),
  ]);
}
