/** What a matcher is: one word of the expectation vocabulary. One file each in `matchers/`, one line in its index. */
import { parsePath, placesAt, type PlanPath, type ValueReader } from '@toolquake/sdk/core';
import type { ByPath, Expectation } from '../../core/expectation.js';
import type { FailureReason } from '../../core/failure-reason.js';
import type { SettingField } from '../../core/setting-field.js';
import type { Answer } from './answer.js';

/** Something about an answer that is not as expected. */
export type Mismatch = {
  /** In words, with the path. */
  readonly says: string;
  /** `canary_assertion_failed`, unless told otherwise. */
  readonly reason?: FailureReason;
  /** `soft`: worth a warning. `undecided`: nobody can tell. */
  readonly weight?: 'soft' | 'undecided';
};

/** A word. */
export type Word = keyof Expectation;
type Given<Name extends Word> = NonNullable<Expectation[Name]>;

/** How a word is read, judged and explained. */
export type Matcher<Name extends Word = Word> = {
  readonly word: Name;
  /** How files spell it, where that differs: `latency` for `latencyMs`. */
  readonly spelling?: string;
  readonly field: SettingField;
  /** What follows the word in a file. */
  readonly example: string;
  /** Is it enough to tell a good answer from a bad one? What only bounds size, shape or time is not. */
  isStable(given: Given<Name>): boolean;
  /** Problems that the field cannot see. */
  check?(given: Given<Name>, path: PlanPath, reader: ValueReader): void;
  judge(given: Given<Name>, answer: Answer): readonly Mismatch[];
};

/** Defines a matcher. */
export const defineMatcher = <const Name extends Word>(matcher: Matcher<Name>): Matcher<Name> => matcher;

/** Enough to see what is wrong with an answer. */
export const MAX_MISMATCHES = 20;

/** Judges what stands at each path; a path that leads nowhere is a mismatch. */
export function atPaths<Value>(
  given: ByPath<Value>,
  { data }: Pick<Answer, 'data'>,
  judge: (value: unknown, wanted: Value, path: string) => string | Mismatch | undefined,
): readonly Mismatch[] {
  return Object.entries(given).flatMap(([path, wanted]) => {
    const steps = parsePath(path);
    const places = steps === undefined ? [] : placesAt(data, steps);
    if (places.length === 0) return [{ says: `${path} is missing` }];
    return places.flatMap((place): readonly Mismatch[] => {
      const found = judge(place.value, wanted, textOfPath(place.path));
      return found === undefined ? [] : [typeof found === 'string' ? { says: found } : found];
    });
  });
}

/** A path as it is written; undefined where a name cannot be spelled in one. */
export function textOfPath(path: readonly (string | number | null)[]): string {
  let text = '';
  for (const step of path) text += typeof step === 'string' ? (text === '' ? step : `.${step}`) : `[${step ?? '*'}]`;
  return text === '' ? '$' : text;
}

/** Reports paths that are none. */
export function checkPaths(paths: readonly string[], at: PlanPath, reader: ValueReader): void {
  for (const path of paths) {
    if (parsePath(path) !== undefined && path !== '') continue;
    reader.report(
      [...at, path],
      'WRONG_TYPE',
      `"${path.slice(0, 100)}" is no path into data.`,
      'Paths look like items[0].total, items[*].id, or $ for the whole.',
    );
  }
}
