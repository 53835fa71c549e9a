/** Compares JSON data, and leaves out what is to be ignored. Data comes from a server whose nesting its wire bounded. */
import { isObject, type DataPath } from '@toolquake/sdk/core';
import { MAX_MISMATCHES, textOfPath } from './matcher.js';
import { shown } from './shown.js';

type Path = readonly (string | number)[];

/** Where data is not what is wanted, in words. With `isPartial`, members that are not named are free. */
export function differences(wanted: unknown, data: unknown, { isPartial }: { readonly isPartial: boolean }): readonly string[] {
  const found: string[] = [];
  const walk = (one: unknown, other: unknown, path: Path): void => {
    if (found.length >= MAX_MISMATCHES) return;
    const at = path.length === 0 ? 'the data' : textOfPath(path);
    if (Array.isArray(one)) {
      if (!Array.isArray(other)) found.push(`${at} is no list`);
      else if (one.length !== other.length) found.push(`${at} has ${other.length} items, ${one.length} expected`);
      else one.forEach((item: unknown, index) => walk(item, other[index], [...path, index]));
    } else if (isObject(one)) {
      if (!isObject(other)) found.push(`${at} is no object`);
      else {
        for (const [name, value] of Object.entries(one)) {
          if (Object.hasOwn(other, name)) walk(value, other[name], [...path, name]);
          else if (found.length < MAX_MISMATCHES) found.push(`${textOfPath([...path, name])} is missing`);
        }
        for (const name of isPartial ? [] : Object.keys(other)) {
          if (!Object.hasOwn(one, name) && found.length < MAX_MISMATCHES)
            found.push(`${textOfPath([...path, name])} is new: ${shown(other[name])}`);
        }
      }
    } else if (one !== other) found.push(`${at} is ${shown(other)}, ${shown(one)} expected`);
  };
  walk(wanted, data, []);
  return found;
}

/** Data without what stands at some paths: members go, items of a list become null, and the whole is null when `$` is named. */
export function withoutPaths(data: unknown, paths: readonly DataPath[]): unknown {
  return paths.reduce(without, data);
}

function without(data: unknown, path: DataPath): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return null;
  if (Array.isArray(data)) {
    if (typeof step === 'string') return data;
    return data.map((item: unknown, index) => (step === null || step === index ? without(item, rest) : item));
  }
  if (!isObject(data) || typeof step !== 'string' || !Object.hasOwn(data, step)) return data;
  return Object.fromEntries(
    Object.entries(data).flatMap(([name, value]) => {
      if (name !== step) return [[name, value]];
      return rest.length === 0 ? [] : [[name, without(value, rest)]];
    }),
  );
}
