import { parsePath, placesAt } from '@toolquake/sdk/core';
import { checkPaths, defineMatcher } from '../matcher.js';
import { momentOf } from '../moment.js';

/** A time in the data that must not be old. */
export const newest = defineMatcher({
  word: 'newest',
  field: {
    kind: 'group',
    about: 'A time in the data that must not be old.',
    fields: {
      path: { kind: 'text', isRequired: true, about: 'Where the time stands, for example items[0].updatedAt.' },
      within: { kind: 'time', max: 3_600_000_000, isRequired: true, about: 'How old it may be.' },
    },
  },
  example: '{ path: "items[0].updatedAt", within: 24h }',
  isStable: () => true,
  check: ({ path: place }, path, reader) => checkPaths([place], path, reader),
  judge({ path, withinMs }, { data, wallClockMs }) {
    const at = momentOf(placesAt(data, parsePath(path) ?? [])[0]?.value);
    if (at === undefined) return [{ says: `${path} is no time` }];
    const ageMs = wallClockMs - at;
    if (ageMs <= withinMs) return [];
    const says = `${path} is ${Math.round(ageMs / 1000)} s old, at most ${Math.round(withinMs / 1000)} s expected`;
    return [{ says, reason: 'canary_stale' }];
  },
});
