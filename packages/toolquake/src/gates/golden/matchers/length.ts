import { checkEnds, ENDS, outside } from '../ends.js';
import { atPaths, defineMatcher } from '../matcher.js';

/** How long a list or a text is. */
export const length = defineMatcher({
  word: 'length',
  field: { kind: 'map', item: ENDS, about: 'By path: how many items a list has, or how many characters a text.' },
  example: '{ results: { min: 1, max: 10 } }',
  isStable: (given) => Object.keys(given).length > 0,
  check: checkEnds,
  judge: (given, answer) =>
    atPaths(given, answer, (value, ends, path) => {
      const size = Array.isArray(value) ? value.length : typeof value === 'string' ? Array.from(value).length : undefined;
      if (size === undefined) return `${path} is no list and no text`;
      const wrong = outside(size, ends);
      if (wrong === undefined) return undefined;
      const says = `${path} has ${size} ${Array.isArray(value) ? 'items' : 'characters'}, ${wrong}`;
      return size === 0 ? { says, reason: 'canary_empty_result' } : says;
    }),
});
