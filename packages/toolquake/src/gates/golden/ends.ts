/** Ranges: of numbers and of lengths. */
import type { PlanPath, ValueReader } from '@toolquake/sdk/core';
import type { ByPath, Ends } from '../../core/expectation.js';
import type { SettingField } from '../../core/setting-field.js';
import { checkPaths } from './matcher.js';

/** How ends are written. */
export const ENDS: SettingField = {
  kind: 'group',
  about: 'Its ends; both belong to it.',
  fields: { min: { kind: 'number', about: 'At least.' }, max: { kind: 'number', about: 'At most.' } },
};

/** The range in words when a number is outside of it. */
export function outside(value: number, { min = -Infinity, max = Infinity }: Ends): string | undefined {
  if (value >= min && value <= max) return undefined;
  return value < min ? `at least ${min} expected` : `at most ${max} expected`;
}

/** A range without ends, or turned around, says nothing. */
export function checkEnds(given: ByPath<Ends>, path: PlanPath, reader: ValueReader): void {
  checkPaths(Object.keys(given), path, reader);
  for (const [at, { min, max }] of Object.entries(given)) {
    if (min === undefined && max === undefined) reader.report([...path, at], 'MISSING_KEY', `The range at "${at}" needs "min" or "max".`);
    if (min !== undefined && max !== undefined && min > max)
      reader.report([...path, at], 'OUT_OF_RANGE', `The range at "${at}" ends before it starts.`);
  }
}
