import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** A number with a tolerance. */
export const near = defineMatcher({
  word: 'near',
  field: {
    kind: 'map',
    item: {
      kind: 'group',
      about: 'A number and how far off it may be.',
      fields: {
        value: { kind: 'number', isRequired: true, about: 'The number.' },
        abs: { kind: 'number', about: 'How far off it may be.' },
        rel: { kind: 'number', about: 'How far off it may be, as a share of the number: 0.01 is one percent.' },
      },
    },
    about: 'By path: a number with a tolerance, absolute, relative, or the larger of both.',
  },
  example: '{ price: { value: 9.99, rel: 0.01 } }',
  isStable: (given) => Object.keys(given).length > 0,
  check(given, path, reader) {
    checkPaths(Object.keys(given), path, reader);
    for (const [at, { abs, rel }] of Object.entries(given)) {
      if ((abs ?? 0) < 0 || (rel ?? 0) < 0) reader.report([...path, at], 'OUT_OF_RANGE', `The tolerance at "${at}" is below 0.`);
      if (abs === undefined && rel === undefined)
        reader.report(
          [...path, at],
          'MISSING_KEY',
          `The number at "${at}" has no tolerance.`,
          'Give "abs" or "rel"; without one, "data" compares exactly.',
        );
    }
  },
  judge: (given, answer) =>
    atPaths(given, answer, (value, { value: wanted, abs = 0, rel = 0 }, path) => {
      if (typeof value !== 'number') return `${path} is ${shown(value)}, a number expected`;
      const tolerance = Math.max(abs, rel * Math.abs(wanted));
      return Math.abs(value - wanted) <= tolerance ? undefined : `${path} is ${value}, ${wanted} expected, at most ${tolerance} off`;
    }),
});
