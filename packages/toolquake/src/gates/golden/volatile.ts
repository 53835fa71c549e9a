/** What changes from one recording to the next. */
import { isObject, parsePath, type DataPath } from '@toolquake/sdk/core';
import { textOfPath } from './matcher.js';

/** Paths at which recordings of the same call differ, as short as they can be: `$` where they differ as a whole. */
export function volatilePaths(recordings: readonly unknown[]): readonly DataPath[] {
  const found = new Map<string, DataPath>();
  const note = (path: DataPath): void => {
    const spelled = spellable(path);
    found.set(textOfPath(spelled), spelled);
  };
  const walk = (values: readonly unknown[], path: DataPath): void => {
    const [first, ...others] = values;
    if (Array.isArray(first) && others.every((one) => Array.isArray(one) && one.length === first.length)) {
      first.forEach((_, index) =>
        walk(
          values.map((one) => (one as readonly unknown[])[index]),
          [...path, index],
        ),
      );
    } else if (isObject(first) && others.every(isObject)) {
      const objects = values as readonly Readonly<Record<string, unknown>>[];
      for (const name of new Set(objects.flatMap((one) => Object.keys(one)))) {
        if (objects.every((one) => Object.hasOwn(one, name)))
          walk(
            objects.map((one) => one[name]),
            [...path, name],
          );
        else note([...path, name]);
      }
    } else if (others.some((one) => one !== first)) note(path);
  };
  walk(recordings, []);
  return shortest(merged([...found.values()]));
}

/** A name with a dot or a bracket in it fits into no path: then its owner is meant. */
function spellable(path: DataPath): DataPath {
  let good = path;
  while (good.length > 0 && JSON.stringify(parsePath(textOfPath(good))) !== JSON.stringify(good)) good = good.slice(0, -1);
  return good;
}

/** `items[0].at` and `items[1].at` are `items[*].at`. */
function merged(paths: readonly DataPath[]): readonly DataPath[] {
  return [...grouped(paths).values()].map((group) =>
    group.length > 1 ? group[0]!.map((step) => (typeof step === 'number' ? null : step)) : group[0]!,
  );
}

const anyItem = (path: DataPath): string => textOfPath(path.map((step) => (typeof step === 'number' ? null : step)));

function grouped(paths: readonly DataPath[]): Map<string, DataPath[]> {
  const groups = new Map<string, DataPath[]>();
  for (const path of paths) groups.set(anyItem(path), [...(groups.get(anyItem(path)) ?? []), path]);
  return groups;
}

/** What stands below another path of the list is named already. */
function shortest(paths: readonly DataPath[]): readonly DataPath[] {
  const covers = (one: DataPath, other: DataPath): boolean =>
    one.length < other.length && one.every((step, index) => step === other[index] || (step === null && typeof other[index] === 'number'));
  return paths.filter((path) => !paths.some((one) => covers(one, path)));
}
