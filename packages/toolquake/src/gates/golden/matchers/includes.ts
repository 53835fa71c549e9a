import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** A part of a text. */
export const includes = defineMatcher({
  word: 'includes',
  field: {
    kind: 'map',
    item: { kind: 'text', about: 'A part of the text.' },
    about: 'By path: a text that stands in the text there; case does not count.',
  },
  example: '{ "results[0].title": health }',
  isStable: (given) => Object.keys(given).length > 0,
  check: (given, path, reader) => checkPaths(Object.keys(given), path, reader),
  judge: (given, answer) =>
    atPaths(given, answer, (value, part, path) =>
      typeof value === 'string' && value.toLowerCase().includes(part.toLowerCase())
        ? undefined
        : `${path} is ${shown(value)}, which does not include ${shown(part)}`,
    ),
});
