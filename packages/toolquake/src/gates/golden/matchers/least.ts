import { atPaths, checkPaths, defineMatcher } from '../matcher.js';

/** The least number, or the least length of a list. */
export const least = defineMatcher({
  word: 'least',
  field: {
    kind: 'map',
    item: { kind: 'number', about: 'A number.' },
    about: 'By path: the least number, or the least length of a list.',
  },
  example: '{ total_results: 1, results: 1 }',
  isStable: (given) => Object.keys(given).length > 0,
  check: (given, path, reader) => checkPaths(Object.keys(given), path, reader),
  judge: (given, answer) =>
    atPaths(given, answer, (value, wanted, path) => {
      const size: unknown = Array.isArray(value) ? value.length : value;
      if (typeof size !== 'number') return `${path} is no number and no list`;
      const says = `${path} is ${size}, at least ${wanted} expected`;
      if (size >= wanted) return undefined;
      return size === 0 ? { says, reason: 'canary_empty_result' } : says;
    }),
});
