import { checkEnds, ENDS, outside } from '../ends.js';
import { atPaths, defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** A number between two others. */
export const range = defineMatcher({
  word: 'range',
  field: { kind: 'map', item: ENDS, about: 'By path: a number that lies within a range.' },
  example: '{ total: { min: 1 } }',
  isStable: (given) => Object.keys(given).length > 0,
  check: checkEnds,
  judge: (given, answer) =>
    atPaths(given, answer, (value, ends, path) => {
      if (typeof value !== 'number') return `${path} is ${shown(value)}, a number expected`;
      const wrong = outside(value, ends);
      return wrong === undefined ? undefined : `${path} is ${value}, ${wrong}`;
    }),
});
