import { defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** Texts that must not be in the answer. */
export const notContains = defineMatcher({
  word: 'notContains',
  field: { kind: 'names', about: 'Texts that the answer does not contain.' },
  example: '[internal, "undefined"]',
  isStable: () => false,
  judge: (given, { text }) => given.filter((part) => text.includes(part)).map((part) => ({ says: `the answer contains ${shown(part)}` })),
});
