import { canonicalText } from '../../manifest/canonical.js';
import { atPaths, checkPaths, defineMatcher } from '../matcher.js';
import { shown } from '../shown.js';

/** The same items in any order. */
export const unordered = defineMatcher({
  word: 'unordered',
  field: {
    kind: 'map',
    item: { kind: 'value', about: 'Items.' },
    about: 'By path: the items of the list there, each as often, in any order.',
  },
  example: '{ tags: [new, sale] }',
  isStable: (given) => Object.keys(given).length > 0,
  check(given, path, reader) {
    checkPaths(Object.keys(given), path, reader);
    for (const [at, items] of Object.entries(given as Readonly<Record<string, unknown>>))
      if (!Array.isArray(items)) reader.report([...path, at], 'WRONG_TYPE', `"unordered" at "${at}" must be a list.`);
  },
  judge: (given, answer) =>
    atPaths(given, answer, (value, wanted, path) => {
      if (!Array.isArray(value)) return `${path} is no list`;
      const left = counted(value);
      for (const item of wanted) {
        const key = canonicalText(item);
        const count = left.get(key) ?? 0;
        if (count === 0) return `${path} lacks ${shown(item)}`;
        if (count === 1) left.delete(key);
        else left.set(key, count - 1);
      }
      const [extra] = left.keys();
      return extra === undefined ? undefined : `${path} holds ${shown(JSON.parse(extra))} besides`;
    }),
});

function counted(items: readonly unknown[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const item of items) {
    const key = canonicalText(item);
    counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  return counts;
}
