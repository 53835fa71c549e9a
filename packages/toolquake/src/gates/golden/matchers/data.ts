import { isBare } from '../bare.js';
import { differences, withoutPaths } from '../compare.js';
import { defineMatcher } from '../matcher.js';

/** What the data holds at least. */
export const data = defineMatcher({
  word: 'data',
  field: { kind: 'value', about: 'What the data holds at least; members that are not named are free, lists have as many items.' },
  example: '{ total: 2 }',
  isStable: (given) => !isBare(given),
  judge: (given, answer) =>
    differences(withoutPaths(given, answer.ignore), withoutPaths(answer.data, answer.ignore), { isPartial: true }).map((says) => ({
      says,
    })),
});
