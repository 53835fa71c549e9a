import { parsePath, placesAt } from '@toolquake/sdk/core';
import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** Items that follow each other. */
export const order = defineMatcher({
  word: 'order',
  field: {
    kind: 'map',
    item: {
      kind: 'group',
      about: 'What they are sorted by.',
      fields: {
        by: { kind: 'text', about: 'The path inside of each item; the item itself, unless told otherwise.' },
        direction: { kind: 'word', words: ['ascending', 'descending'], about: 'ascending, unless told otherwise.' },
      },
    },
    about: 'By path: the list there is sorted; numbers by size, texts by code units. Equal neighbours are fine.',
  },
  example: '{ results: { by: score, direction: descending } }',
  isStable: (given) => Object.keys(given).length > 0,
  check(given, path, reader) {
    checkPaths(Object.keys(given), path, reader);
    for (const [at, { by }] of Object.entries(given)) checkPaths(by === undefined ? [] : [by], [...path, at], reader);
  },
  judge: (given, answer) =>
    atPaths(given, answer, (list, { by = '$', direction = 'ascending' }, path) => {
      if (!Array.isArray(list)) return `${path} is no list`;
      const steps = parsePath(by) ?? [];
      const keys = list.map((item: unknown) => placesAt(item, steps)[0]?.value);
      const wrong = keys.findIndex((key, index) => index > 0 && !follows(keys[index - 1], key, direction));
      return wrong < 0 ? undefined : `${path}[${wrong}] (${shown(keys[wrong])}) does not follow ${shown(keys[wrong - 1])} (${direction})`;
    }),
});

function follows(before: unknown, after: unknown, direction: string): boolean {
  const [low, high] = direction === 'descending' ? [after, before] : [before, after];
  if (typeof low === 'number' && typeof high === 'number') return low <= high;
  return typeof low === 'string' && typeof high === 'string' && low <= high;
}
