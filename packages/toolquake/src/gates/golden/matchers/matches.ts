import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { MAX_SEARCHED } from '../pattern/pattern.js';
import { compilePattern } from '../pattern/pattern.js';
import { shown } from '../shown.js';

/** Regular expressions that cannot run away. */
export const matches = defineMatcher({
  word: 'matches',
  field: {
    kind: 'map',
    item: { kind: 'text', about: 'A pattern.' },
    about:
      'By path: a regular expression that is found in the text there (or in a number as it is written). Case counts; ^ and $ are the ends.',
  },
  example: `{ id: '^ord_[0-9a-f]{8}$' }`,
  isStable: (given) => Object.keys(given).length > 0,
  check(given, path, reader) {
    checkPaths(Object.keys(given), path, reader);
    for (const [at, source] of Object.entries(given)) {
      try {
        compilePattern(source);
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error);
        reader.report(
          [...path, at],
          'WRONG_TYPE',
          `The pattern at "${at}" is refused: ${why}.`,
          'Patterns run in linear time: no look-around, no back references. See docs/golden.md.',
        );
      }
    }
  },
  judge: (given, answer) =>
    atPaths(given, answer, (value, source, path) => {
      if (typeof value !== 'string' && typeof value !== 'number') return `${path} is no text`;
      const text = String(value);
      if (text.length > MAX_SEARCHED) return `${path} is longer than the ${MAX_SEARCHED} characters that a pattern is looked for in`;
      return compilePattern(source).test(text) ? undefined : `${path} is ${shown(value)}, which does not match ${source}`;
    }),
});
