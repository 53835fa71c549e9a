import { defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** Texts anywhere in the answer. */
export const contains = defineMatcher({
  word: 'contains',
  field: { kind: 'names', about: 'Texts that the answer contains.' },
  example: '[health, check]',
  isStable: (given) => given.length > 0,
  judge: (given, { text }) =>
    given.filter((part) => !text.includes(part)).map((part) => ({ says: `the answer does not contain ${shown(part)}` })),
});
