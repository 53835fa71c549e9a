/** The vocabulary: every word of an expectation, with its matcher. */
import type { Expectation } from '../../core/expectation.js';
import type { SettingFields } from '../../core/setting-field.js';
import type { Answer } from './answer.js';
import type { Matcher, Mismatch, Word } from './matcher.js';
import * as matchers from './matchers/index.js';

/** A word without a matcher does not compile. */
const BY_WORD: { readonly [Name in Word]: Matcher<Name> } = matchers;

/** All matchers. */
export const MATCHERS: readonly Matcher[] = Object.keys(BY_WORD).map((word) => BY_WORD[word as Word] as unknown as Matcher);

/** As a table of keys, for files. */
export const EXPECTATION_FIELDS: SettingFields = Object.fromEntries(MATCHERS.map((one) => [one.spelling ?? one.word, one.field]));

/** A mismatch and the word that found it. */
export type Judged = Mismatch & { readonly word: string };

/** Everything about an answer that is not as expected. */
export function judgeWords(expect: Expectation, answer: Answer): readonly Judged[] {
  return MATCHERS.flatMap((matcher) => {
    const given = expect[matcher.word];
    // The word and its value belong together, which the compiler cannot follow through the table.
    return given === undefined
      ? []
      : matcher.judge(given as never, answer).map((one) => ({ ...one, word: matcher.spelling ?? matcher.word }));
  });
}

/** Is there a word that can tell a good answer from a bad one? */
export const isStable = (expect: Expectation): boolean =>
  MATCHERS.some(({ word, isStable: is }) => expect[word] !== undefined && is(expect[word] as never));
