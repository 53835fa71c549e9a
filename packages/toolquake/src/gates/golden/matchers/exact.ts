import { isBare } from '../bare.js';
import { differences, withoutPaths } from '../compare.js';
import { defineMatcher } from '../matcher.js';

/** The whole data, member by member. */
export const exact = defineMatcher({
  word: 'exact',
  field: { kind: 'value', about: 'The whole data, and nothing besides; but for what "ignore" names.' },
  example: '{ total: 2, results: [{ id: 1 }, { id: 2 }] }',
  isStable: (given) => !isBare(given),
  judge: (given, { data, ignore }) =>
    differences(withoutPaths(given, ignore), withoutPaths(data, ignore), { isPartial: false }).map((says) => ({ says })),
});
